// Everything that needs no JSON library, in one include.
//
//   Result<Model> model = load_model("analysis.json");
//   Result<UpperLimitResult> limit = upper_limit(*model);
//   std::cout << limit->observed << "\n";
//
// Not here, because they need nlohmann-json: json.h, documents.h, patchset.h, result_json.h, toy_folder.h.
#pragma once

// From a workspace to a model
#include <nextstat/model.h>
#include <nextstat/observations.h>
#include <nextstat/workspace.h>

// The likelihood
#include <nextstat/evaluate.h>
#include <nextstat/likelihood.h>
#include <nextstat/rates.h>

// Fits
#include <nextstat/fit.h>
#include <nextstat/fit_batch.h>
#include <nextstat/interval.h>
#include <nextstat/minima.h>
#include <nextstat/ranking.h>
#include <nextstat/regions.h>
#include <nextstat/run.h>
#include <nextstat/scan.h>
#include <nextstat/termination.h>

// Tests and limits
#include <nextstat/goodness_of_fit.h>
#include <nextstat/hypotest.h>
#include <nextstat/mass_scan.h>
#include <nextstat/significance.h>
#include <nextstat/upper_limit.h>

// Toys
#include <nextstat/feldman_cousins.h>
#include <nextstat/goodness_of_fit_toys.h>
#include <nextstat/hypotest_toys.h>
#include <nextstat/significance_toys.h>
#include <nextstat/toys.h>
#include <nextstat/upper_limit_toys.h>

// Devices and threads
#include <nextstat/backends.h>
#include <nextstat/session.h>
#include <nextstat/threads.h>

// Errors, files, matrices, names and text
#include <nextstat/error.h>
#include <nextstat/files.h>
#include <nextstat/matrix.h>
#include <nextstat/names.h>
#include <nextstat/result.h>
#include <nextstat/text.h>
#include <nextstat/version.h>
