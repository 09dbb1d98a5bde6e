strew_test(onnx_model_test operator_table_test.cc infer_test.cc infer_symbolic_test.cc run_node_test.cc
           model_load_test.cc graph_plan_test.cc model_names_test.cc model_rules_test.cc model_run_test.cc model_bytes_test.cc
           advisories_test.cc linked_data_test.cc)
target_link_libraries(onnx_model_test PRIVATE strew::dep::protozero)

# A program of its own, since it counts every allocation.
strew_test(loading_memory_test loading_memory_test.cc ../support/counted_memory.cc)
target_link_libraries(loading_memory_test PRIVATE strew::dep::protozero)

# Another one, since it makes them fail.
strew_test(loading_failure_test loading_failure_test.cc ../support/failing_memory.cc)
