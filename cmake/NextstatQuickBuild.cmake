# NEXTSTAT_QUICK_BUILD: for a build from nothing. Files of these groups are compiled as one; names in their anonymous namespaces
# must not clash, so files with such names stay alone. Headers that most files include are precompiled.
function(nextstat_compile_together group)
  foreach(file ${ARGN})
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
      message(FATAL_ERROR "NextstatQuickBuild.cmake names ${file}, which is not there")
    endif()
  endforeach()
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()

nextstat_compile_together(base base/cache_folder.cpp base/dense.cpp base/dense_flat.cpp base/dense_product.cpp base/dynamic_library.cpp base/error.cpp
  base/file_lock.cpp base/files.cpp base/hash.cpp base/json_append.cpp base/json_equal.cpp base/json_fault.cpp base/json_text.cpp
  base/memory.cpp base/processor.cpp base/suggest.cpp base/utf8.cpp)
nextstat_compile_together(compile model/channel_derivatives.cpp model/compile.cpp model/dataset.cpp model/derivatives.cpp
  model/digest.cpp model/draw_plan.cpp model/faults.cpp model/hessian.cpp model/interpolation.cpp model/layout.cpp model/model.cpp
  model/modifier_kinds.cpp model/parameter_collection.cpp model/parameter_config.cpp model/parameter_lists.cpp)
nextstat_compile_together(documents model/combine.cpp model/patch.cpp model/patchset.cpp model/patchset_check.cpp
  model/poisson_table.cpp model/sample_derivatives.cpp model/shape_check.cpp model/sorted_view.cpp model/special.cpp
  model/value_reader.cpp model/workspace_check.cpp model/workspace_reader.cpp)
nextstat_compile_together(gpu gpu/draw_call.cpp gpu/evaluate_call.cpp gpu/memory_plan.cpp gpu/session.cpp gpu/steps.cpp
  gpu/table_pairs.cpp gpu/waves.cpp gpu/worker.cpp)
nextstat_compile_together(minimize minimize/covariance.cpp minimize/hessian_factor.cpp minimize/kinks.cpp minimize/plateau.cpp minimize/start_draws.cpp minimize/make_metric.cpp minimize/metric_rows.cpp
  minimize/newton.cpp minimize/row_task.cpp minimize/session_calls.cpp minimize/dataset_solver.cpp minimize/solve.cpp)
nextstat_compile_together(runs toys/block_file.cpp toys/block_sink.cpp toys/merge.cpp toys/run_folder.cpp toys/run_identity.cpp
  toys/run_plan.cpp toys/run_status.cpp toys/run_store.cpp)
nextstat_compile_together(fits infer/asymptotic_test.cpp infer/backends.cpp infer/crossing.cpp infer/distributions.cpp
  infer/evaluate.cpp infer/fit.cpp infer/fit_batch.cpp infer/goodness_of_fit.cpp infer/hypotest.cpp infer/interval.cpp
  infer/limit_search.cpp infer/mass_scan.cpp infer/memory_need.cpp infer/minos.cpp)
nextstat_compile_together(profile infer/monotone.cpp infer/open_session.cpp infer/patchset_points.cpp infer/profile.cpp
  infer/best_fit.cpp infer/ranking.cpp infer/ranking_groups.cpp infer/rates.cpp infer/root_search.cpp infer/scan.cpp infer/regions.cpp
  infer/self_check.cpp infer/setup.cpp infer/significance.cpp infer/test_statistic.cpp infer/upper_limit.cpp infer/warnings.cpp)
nextstat_compile_together(toys infer/feldman_cousins_ends.cpp infer/goodness_of_fit_toys.cpp infer/significance_toys.cpp
  infer/toy_blocks.cpp infer/toy_fits.cpp infer/toy_limit_points.cpp infer/toy_tails.cpp infer/toy_warnings.cpp
  infer/upper_limit_toys.cpp)
nextstat_compile_together(result result/devices_json.cpp result/fit_json.cpp result/json.cpp result/profile_json.cpp
  result/test_json.cpp result/toy_questions_json.cpp result/toys_json.cpp)

set_target_properties(nextstat PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
target_precompile_headers(nextstat PRIVATE <algorithm> <cmath> <functional> <map> <memory> <optional> <span> <string>
  <unordered_map> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)
