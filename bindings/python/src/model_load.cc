// Loading models from paths, bytes and protos.
#include "model_load.h"

#include <filesystem>
#include <string>
#include <utility>

#include "array_kind.h"
#include "call.h"
#include "model_info.h"

namespace strew::python {
namespace {

bool is_path(nb::handle object) { return nb::isinstance<nb::str>(object) || nb::hasattr(object, "__fspath__"); }

std::filesystem::path path_of(nb::handle object) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(object.ptr(), &bytes) == 0) throw nb::python_error();
  return nb::steal<nb::bytes>(bytes).c_str();
}

// The bytes of an object with a buffer, which may not change or go away meanwhile.
class ReadBuffer {
 public:
  explicit ReadBuffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) < 0) throw nb::python_error();
  }
  ReadBuffer(const ReadBuffer&) = delete;
  ReadBuffer& operator=(const ReadBuffer&) = delete;
  ~ReadBuffer() { PyBuffer_Release(&view_); }

  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

Model load_file(nb::handle source, const LoadOptions& options) {
  if (options.external_data_dir) {
    raise(ErrorCode::kInvalidArgument, {"load_model", "external_data_dir"},
          "external_data_dir is for a model from memory; external data of a model file lie beside the file");
  }
  const std::filesystem::path path = path_of(source);
  auto model = without_lock(true, [&] { return Model::load(path, options); });
  std::error_code ignored;
  if (!model && model.error().code == ErrorCode::kIo && !std::filesystem::exists(path, ignored)) {
    raise_as(PyExc_FileNotFoundError, model.error());
  }
  return unwrap(std::move(model));
}

}  // namespace

Model load(nb::handle source, bool allow_deprecated, nb::handle external_data_dir, nb::handle links_within) {
  LoadOptions options;
  options.allow_deprecated = allow_deprecated;
  if (!external_data_dir.is_none()) options.external_data_dir = path_of(external_data_dir);
  if (!links_within.is_none()) options.links_within = path_of(links_within);
  if (is_path(source)) return load_file(source, options);
  nb::object image = nb::borrow(source);
  if (nb::hasattr(source, "SerializeToString")) image = source.attr("SerializeToString")();
  if (PyObject_CheckBuffer(image.ptr()) == 0) {
    raise(ErrorCode::kInvalidType, {"load_model", "path_or_bytes"},
          "a model is a path (str or os.PathLike), bytes or an onnx.ModelProto; got " + type_name_of(source));
  }
  const ReadBuffer buffer(image);
  return unwrap(without_lock(true, [&] { return Model::parse(buffer.bytes(), options); }));
}

}  // namespace strew::python
