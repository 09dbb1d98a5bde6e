strew_test(onnx_model_test infer_test.cc run_node_test.cc
           model_load_test.cc graph_plan_test.cc model_rules_test.cc model_run_test.cc model_bytes_test.cc whole_model_test.cc)
strew_unity(onnx_model_test 4)
