// A user's program: loads the workspace named on the command line and prints its NLL at the initial point.
#include <nextstat/evaluate.h>

#include <cstdio>

int main(int, char** arguments) {
  auto workspace = nextstat::load_workspace(arguments[1]);
  if (!workspace) return std::puts(workspace.errors().front().what.c_str()), 1;
  auto model = nextstat::build_model(*workspace);
  if (!model) return std::puts(model.errors().front().what.c_str()), 1;
  auto at_start = nextstat::evaluate(*model, model->initial());
  if (!at_start) return std::puts(at_start.errors().front().what.c_str()), 1;
  std::printf("nll = %.17g\n", at_start->nll[0]);
}
