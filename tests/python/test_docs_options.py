"""Every verb and every option of --help is found in docs/command-line.md."""

import re


from conftest import ROOT, needs_program, run_program

pytestmark = needs_program


def verbs_in(text):
    """Names below the heading "Verbs:"."""
    return re.findall(r"^  ([a-z-]+) +\S", text.partition("Verbs:")[2].partition("\n\n")[0], re.M)


def commands(*words):
    inner = verbs_in(run_program(*words, "--help").stdout)
    return [command for verb in inner for command in commands(*words, verb)] if inner else [words]


def test_every_verb_and_option_is_in_the_docs():
    page = (ROOT / "docs/command-line.md").read_text()
    found, missing = commands(), []
    assert len(found) > 20 and ("toys", "merge") in found
    for words in found:
        missing += [words] * (words[0] not in page or words[-1] not in page)
        options = re.findall(r"^ +(?:-\w,)?(--[a-z0-9-]+)", run_program(*words, "--help").stdout, re.M)
        missing += [(*words, name) for name in options if not re.search(re.escape(name) + r"(?![a-z0-9-])", page)]
    assert not missing, "\n".join(" ".join(words) for words in missing)
