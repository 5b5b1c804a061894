#include <nextstat/files.h>
#include <nextstat/patchset.h>

#include "input/document_input.h"
#include "screen/checked_output.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

Result<PatchSet> read_patchset(Json document, const std::string& path) {
  Result<PatchSet> patchset = PatchSet::read(std::move(document));
  if (!patchset) return in_file(patchset.errors(), path);
  return patchset;
}

class PatchsetVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    command.require_subcommand(1);
    declare_extract(*command.add_subcommand("extract", "Write one patch of the patchset"));
    declare_apply(*command.add_subcommand("apply", "Apply one patch to the background-only workspace"));
    declare_verify(*command.add_subcommand("verify", "Check that the patchset belongs to a workspace"));
    declare_inspect(*command.add_subcommand("inspect", "List the patches"));
    command.footer("Example: nextstat patchset inspect patchset.json");
  }

  int run(Console& console) override { return (this->*action_)(console); }

 private:
  using Action = int (PatchsetVerb::*)(Console&);

  void choose(CLI::App& command, Action action) {
    command.callback([this, action] { action_ = action; });
  }

  void declare_name(CLI::App& command) {
    command.add_option("--name", name_, "Name of the patch")->required()->type_name("NAME");
  }

  void declare_extract(CLI::App& command) {
    patchset_.declare(command, "patchset", "Patchset");
    declare_name(command);
    command.add_flag("--with-metadata,!--without-metadata", with_metadata_,
                     "Write the metadata of patch and patchset too");
    command.footer(
        "Example: nextstat patchset extract patchset.json --name C1N2_Wh_hbb_300_75 -o patch.json");
    choose(command, &PatchsetVerb::extract);
  }

  void declare_documents(CLI::App& command) {
    background_.declare_argument(command, "background", "Background-only workspace");
    patchset_.declare_argument(command, "patchset", "Patchset");
  }

  void declare_apply(CLI::App& command) {
    declare_documents(command);
    declare_name(command);
    command.footer(
        "Example: nextstat patchset apply background.json patchset.json --name C1N2_Wh_hbb_300_75");
    choose(command, &PatchsetVerb::apply);
  }

  void declare_verify(CLI::App& command) {
    declare_documents(command);
    command.footer("Example: nextstat patchset verify background.json patchset.json");
    choose(command, &PatchsetVerb::verify);
  }

  void declare_inspect(CLI::App& command) {
    patchset_.declare(command, "patchset", "Patchset");
    command.footer("Example: nextstat patchset inspect patchset.json");
    choose(command, &PatchsetVerb::inspect);
  }

  Result<PatchSet> read_alone() const {
    Result<Json> document = patchset_.read_json();
    if (!document) return document.errors();
    return read_patchset(std::move(*document), patchset_.path());
  }

  int extract(Console& console) {
    const Result<PatchSet> patchset = read_alone();
    if (!patchset) return console.fail(patchset.errors());
    const Result<std::size_t> position = patchset->find(name_);
    if (!position) return console.fail(in_file(position.errors(), patchset_.path()));
    return console.document(patchset->extract(*position, with_metadata_));
  }

  int apply(Console& console) {
    auto inputs = read_both(background_, patchset_);
    if (!inputs) return console.fail(inputs.errors());
    const Result<PatchSet> patchset = read_patchset(std::move(inputs->second), patchset_.path());
    if (!patchset) return console.fail(patchset.errors());
    const Result<std::size_t> position = patchset->find(name_);
    if (!position) return console.fail(in_file(position.errors(), patchset_.path()));
    const Result<Json> patched = patchset->apply(inputs->first, *position);
    if (!patched) return console.fail(in_file(patched.errors(), patchset_.path()));
    return write_checked_workspace(console, *patched);
  }

  int verify(Console& console) {
    auto inputs = read_both(background_, patchset_);
    if (!inputs) return console.fail(inputs.errors());
    const Result<PatchSet> patchset = read_patchset(std::move(inputs->second), patchset_.path());
    if (!patchset) return console.fail(patchset.errors());
    const auto verified = patchset->verify(inputs->first);
    if (!verified) return console.fail(in_file(verified.errors(), patchset_.path()));
    return console.result({{"ok", true}, {"digests", patchset->metadata().at("digests")}}, "All good.\n");
  }

  int inspect(Console& console) {
    const Result<PatchSet> patchset = read_alone();
    if (!patchset) return console.fail(patchset.errors());
    Json list = Json::array();
    std::string table = std::to_string(patchset->size()) + " patches with labels " +
                        dump_json(patchset->metadata().at("labels")) + "\n";
    for (const Json& patch : patchset->patches()) {
      const Json& about = patch.at("metadata");
      list.push_back(about);
      table += printable(about.at("name").get<std::string>()) + "  " + dump_json(about.at("values")) + "\n";
    }
    return console.result(
        {{"metadata", patchset->metadata()}, {"n_patches", patchset->size()}, {"patches", list}}, table);
  }

  InputFile background_, patchset_;
  std::string name_;
  bool with_metadata_ = false;
  Action action_ = nullptr;
};

}  // namespace

std::unique_ptr<Verb> make_patchset() { return std::make_unique<PatchsetVerb>(); }

}  // namespace nextstat::cli
