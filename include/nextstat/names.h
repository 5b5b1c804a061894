// Names of the values of an enumeration, as options, results in JSON and toy folders write them. Every enumeration that
// users name has one table; command line, Python, messages and files take the names from it.
//
//   to_string(TestStatistic::Q0);                  // "q0"
//   *parse_test_statistic("q0");                   // TestStatistic::Q0
//   parse_test_statistic("qtidle");                // an error that lists the names: did you mean 'qtilde'?
//   names_in(test_statistics());                   // {"qtilde", "q", "q0", "t", "ttilde"}
#pragma once

#include <nextstat/result.h>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// One line of a table.
template <class Value>
struct Named {
  const char* name;
  Value value;
};

// All values with their names, in the order in which they are listed.
template <class Value>
using NameTable = std::span<const Named<Value>>;

// The names alone.
template <class Value>
std::vector<std::string> names_in(NameTable<Value> table) {
  std::vector<std::string> names;
  for (const Named<Value>& entry : table) names.emplace_back(entry.name);
  return names;
}

// The name of a value; one that the table lacks is a bug.
template <class Value>
const char* name_in(NameTable<Value> table, std::type_identity_t<Value> value) {
  for (const Named<Value>& entry : table)
    if (entry.value == value) return entry.name;
  throw std::logic_error("name_in: a value without a name");
}

// "qtilde, q and q0"; "qtilde, q or q0".
std::string listed(std::span<const std::string> names, const std::string& last = "and");

// "'x' is not KIND; there are a, b and c", with the closest of them as a hint.
Error unknown_name(std::string_view name, std::span<const std::string> names, const std::string& kind,
                   Place where);

// The value of a name, or unknown_name.
template <class Value>
Result<Value> value_named(std::string_view name, NameTable<Value> table, const std::string& kind,
                          Place where) {
  for (const Named<Value>& entry : table)
    if (name == entry.name) return entry.value;
  return unknown_name(name, names_in(table), kind, std::move(where));
}

}  // namespace nextstat
#pragma GCC visibility pop
