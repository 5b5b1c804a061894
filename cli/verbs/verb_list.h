// The makers of all verbs, one per file in this folder.
#pragma once

#include <memory>

namespace nextstat::cli {

class Verb;

std::unique_ptr<Verb> make_inspect();
std::unique_ptr<Verb> make_validate();
std::unique_ptr<Verb> make_evaluate();
std::unique_ptr<Verb> make_fit();
std::unique_ptr<Verb> make_scan();
std::unique_ptr<Verb> make_interval();
std::unique_ptr<Verb> make_feldman_cousins();
std::unique_ptr<Verb> make_ranking();
std::unique_ptr<Verb> make_hypotest();
std::unique_ptr<Verb> make_hypotest_toys();
std::unique_ptr<Verb> make_cls();
std::unique_ptr<Verb> make_upper_limit();
std::unique_ptr<Verb> make_significance();
std::unique_ptr<Verb> make_goodness_of_fit();
std::unique_ptr<Verb> make_mass_scan();
std::unique_ptr<Verb> make_toys();
std::unique_ptr<Verb> make_toys_merge();
std::unique_ptr<Verb> make_toys_run();
std::unique_ptr<Verb> make_toys_status();
std::unique_ptr<Verb> make_digest();
std::unique_ptr<Verb> make_combine();
std::unique_ptr<Verb> make_prune();
std::unique_ptr<Verb> make_rename();
std::unique_ptr<Verb> make_sort();
std::unique_ptr<Verb> make_patchset();
std::unique_ptr<Verb> make_bench();
std::unique_ptr<Verb> make_devices();
std::unique_ptr<Verb> make_doctor();
std::unique_ptr<Verb> make_version();

}  // namespace nextstat::cli
