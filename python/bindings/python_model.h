// A model as Python holds it: the library's model, and its likelihood kept ready for single calls.
#pragma once

#include <nextstat/likelihood.h>
#include <nextstat/model.h>
#include <nextstat/session.h>

#include <memory>
#include <mutex>
#include <string>

namespace nextstat::python {

struct PythonModel {
  Model model;
  std::string digest = {};                      // of the workspace, sha256; "" = not computed yet
  std::shared_ptr<Likelihood> likelihood = {};  // made at the first call
  std::shared_ptr<Session> session =
      {};  // that answers everything about this model; null = one for each question
  std::shared_ptr<std::mutex> one_at_a_time =
      std::make_shared<std::mutex>();  // of a likelihood that is not quick

  // nll and, unless null, the gradient at one point on the model's own data.
  double evaluate(std::span<const double> parameters, std::span<double> gradient);
};

}  // namespace nextstat::python
