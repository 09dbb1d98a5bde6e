// strew op --picture, from outside.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "apps/workplace.h"

namespace strew::app {
namespace {

using ::testing::HasSubstr;

class OpPicture : public Workplace {
 protected:
  // A run of ScatterND with more arguments.
  Ended scatter_nd(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"op", "ScatterND", data_, indices_, updates_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  static std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  std::string data_ = save("data.npy", *Tensor::of<float>({1, 2, 3, 4}, {4}));
  std::string indices_ = save("indices.npy", *Tensor::of<std::int64_t>({1, -1}, {2, 1}));
  std::string updates_ = save("updates.npy", *Tensor::of<float>({20, 40}, {2}));
};

TEST_F(OpPicture, DrawsTheCall) {
  const std::string svg = path("call.svg");
  const Ended ended = scatter_nd({"--reduction", "add", "--picture", svg});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(text_of(svg),
              AllOf(HasSubstr("<title>ScatterND-18, reduction=add</title>"), HasSubstr(">22</text>")));
}

TEST_F(OpPicture, DrawsACallThatIsRefusedByTheRulesOfItsVersion) {
  const std::string svg = path("refused.svg");
  const std::string wrong = save("wrong.npy", *Tensor::of<std::int64_t>({1, 9}, {2, 1}));
  expect_refused({"op", "ScatterND", data_, wrong, updates_, "--opset", "13", "--picture", svg},
                 "indices[1, 0] = 9");
  EXPECT_THAT(text_of(svg),
              AllOf(HasSubstr("<title>ScatterND-13, refused</title>"),
                    HasSubstr("indices[1, 0] = 9 is outside [-4, 3]"), HasSubstr("data-at=\"1,0\"")));
  EXPECT_THAT(text_of(svg), ::testing::ContainsRegex("data-at=\"1,0\">\n.*\n<rect [^>]*#cf222e"));
}

TEST_F(OpPicture, RefusesAPictureUnderAnotherName) {
  const Ended ended = scatter_nd({"--picture", "call.png"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "strew: --picture call.png: the name of a picture ends in .svg; rsvg-convert makes a PNG of one\n");
  EXPECT_THAT(scatter_nd({"--picture", path("no/such/folder.svg")}).err,
              HasSubstr("cannot write: No such file or directory"));
}

}  // namespace
}  // namespace strew::app
