#include <nextstat/documents.h>
#include <nextstat/files.h>

#include "input/document_input.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

class DigestVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    workspace_.declare(command, "workspace", "Workspace");
    command
        .add_option("-a,--algorithm", algorithms_,
                    "Hash algorithm, as named in Python's hashlib (default sha256)")
        ->allow_extra_args(false)
        ->type_name("NAME");
    CLI::Option* const json = command.add_flag("-j,--json", json_, "Print a JSON object");
    command.add_flag("-p,--plaintext", plain_, "Print lines of algorithm:digest (the default)")
        ->excludes(json);
    command.footer("Example: nextstat digest workspace.json -a sha256 -a md5");
  }

  int run(Console& console) override {
    const Result<std::string> text = workspace_.read();
    if (!text) return console.fail(text.errors());
    const Result<std::string> canonical = canonical_json(*text);
    if (!canonical) return console.fail(in_file(canonical.errors(), workspace_.path()));
    if (algorithms_.empty()) algorithms_ = {"sha256"};
    Json digests = Json::object();
    std::string lines;
    for (const std::string& algorithm : algorithms_) {
      const Result<std::string> hash = digest_of_text(*canonical, algorithm);
      if (!hash) return console.fail(hash.errors());
      if (!digests.contains(algorithm)) lines += algorithm + ":" + *hash + "\n";
      digests[algorithm] = *hash;
    }
    // Like pyhf, text is the default even when nobody watches: scripts compare these lines.
    const bool as_json = json_ || (console.format == Format::Json && !plain_);
    return as_json ? console.document(digests) : console.text(lines);
  }

 private:
  InputFile workspace_;
  std::vector<std::string> algorithms_;
  bool json_ = false;
  bool plain_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_digest() { return std::make_unique<DigestVerb>(); }

}  // namespace nextstat::cli
