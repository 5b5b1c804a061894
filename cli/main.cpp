// nextstat VERB [WORKSPACE] [options]
#include <fmt/format.h>
#include <nextstat/text.h>
#include <nextstat/version.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "input/choice.h"
#include "input/path_checks.h"
#include "input/usage.h"
#include "screen/console.h"
#include "screen/interrupt.h"
#include "verbs/verb.h"

namespace nextstat::cli {
namespace {

constexpr int kBug = 70;  // as sysexits.h: an internal fault of the program

constexpr const char* kExamples =
    "Examples:\n"
    "  nextstat inspect workspace.json\n"
    "  nextstat patchset apply background.json patchset.json --name C1N2_Wh_hbb_300_75 -o signal.json\n"
    "  nextstat fit signal.json\n"
    "  nextstat evaluate signal.json --gradient --format json\n"
    "\n"
    "Exit codes: 0 done, 1 not converged, 2 bad input or usage, 3 device not available, 4 interrupted.";

// The options that every verb has, on the innermost commands, where --help shows them.
void add_common_options(CLI::App& command, Console& console) {
  const auto inner = command.get_subcommands([](CLI::App*) { return true; });
  for (CLI::App* sub : inner) add_common_options(*sub, console);
  if (!inner.empty()) return;
  static constexpr Named<Format> formats[] = {{"table", Format::Table}, {"json", Format::Json}};
  const NameTable<Format> table = formats;
  const std::string help =
      fmt::format("How to print results and errors: {} (default: table on a terminal, else json)",
                  listed(names_in(table), "or"));
  const auto take = [&console, table](const std::string& name) -> Errors {
    const Result<Format> format = value_named(name, table, "a format", "--format");
    if (!format) return format.errors();
    console.format = *format;
    return {};
  };
  add_word(command, "--format", help, take)->type_name("FORMAT");
  command.add_option("-o,--output,--output-file", console.output, "Write the result to this file")
      ->type_name("FILE");
}

struct Program {
  CLI::App app{"HistFactory statistical inference", "nextstat"};
  Console console;
  std::map<std::string, std::unique_ptr<Verb>> verbs;

  Program() {
    app.footer(kExamples);
    app.get_formatter()->label("SUBCOMMAND", "VERB");
    app.set_help_flag("-h,--help", "Show this help");
    app.set_version_flag("--version", std::string("nextstat ") + version_string(), "Show the version");
    app.require_subcommand(1);
    for (const VerbEntry& entry : verb_table()) {
      CLI::App* const command = app.add_subcommand(entry.name, entry.summary);
      command->group("Verbs");
      Verb& verb = *(verbs[entry.name] = entry.make());
      verb.declare(*command);
      add_common_options(*command, console);
    }
  }

  int run(int argc, char** argv);

 private:
  Errors check(const std::vector<std::string_view>& words) const;
};

// --format json must shape the report of a wrong command line too, before anything is parsed.
bool asks_for_json(const std::vector<std::string_view>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--format=json") return true;
    if (words[i] == "--format" && i + 1 < words.size() && words[i + 1] == "json") return true;
  }
  return false;
}

// What the parser lets pass and no verb should meet.
Errors Program::check(const std::vector<std::string_view>& words) const {
  if (Errors errors = empty_numbers(app); !errors.empty()) return errors;
  if (Errors errors = empty_paths(chosen_command(app), words); !errors.empty()) return errors;
  if (Errors errors = replaced_inputs(chosen_command(app)); !errors.empty()) return errors;
  return console.check_output(folder_to_make(app));
}

int Program::run(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.empty()) {
    std::fputs(app.help().c_str(), stderr);
    return kBadInput;
  }
  if (asks_for_json(words)) {
    console.format = Format::Json;
    report_interrupts_as_json();
  }
  if (!words[0].starts_with("-") && !verbs.contains(std::string(words[0]))) {
    return console.fail({unknown_verb(app, std::string(words[0]))});
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& failure) {
    return console.fail({usage_error(app, failure)});
  }
  if (const Errors errors = check(words); !errors.empty()) return console.fail(errors);
  return verbs.at(app.get_subcommands().front()->get_name())->run(console);
}

// --help and --version arrive as exceptions of CLI11, with the text to print.
int print_and_leave(Program& program, const CLI::Success& request) {
  std::ostringstream text;
  program.app.exit(request, text, text);
  return program.console.text(text.str());
}

int run_program(int argc, char** argv) {
  Program program;
  try {
    return program.run(argc, argv);
  } catch (const CLI::Success& request) {
    program.console.output.clear();
    return print_and_leave(program, request);
  }
}

}  // namespace
}  // namespace nextstat::cli

int main(int argc, char** argv) {
  // A reader that goes away, or a file beyond `ulimit -f`, is then an error of the write instead of the end
  // in the middle of the work: --output is still written when nobody reads standard error any more.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  nextstat::cli::prepare_for_interrupts();
  try {
    return nextstat::cli::run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("nextstat: error: out of memory\n  hint: the input needs more memory than is available\n",
               stderr);
    return nextstat::cli::kBadInput;
  } catch (const std::exception& bug) {
    std::fprintf(stderr,
                 "nextstat: internal error: %s\n"
                 "  hint: this is a bug in nextstat %s; please report it with the command and the input\n",
                 nextstat::printable(bug.what()).c_str(), nextstat::version_string());
    return nextstat::cli::kBug;
  }
}
