"""``sekisho completion``: scripts for bash, zsh and fish that complete commands and options; values complete as files.

The scripts ask ``sekisho --complete WORD…``, which answers from the built manual without loading anything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.cli.kit.manual import list_added, read_manual

COMPLETE = "--complete"

BASH = """\
_sekisho() {
    local IFS=$'\\n'
    COMPREPLY=($(sekisho --complete "${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f1))
}
complete -o default -F _sekisho sekisho
"""
ZSH = """\
#compdef sekisho
_sekisho() {
    local -a found
    found=("${(@f)$(sekisho --complete "${(@)words[2,CURRENT]}" | sed 's/:/\\\\:/g; s/\\t/:/')}")
    if [[ -n "${found[1]}" ]]; then _describe 'sekisho' found; else _files; fi
}
if [[ "${funcstack[1]}" = "_sekisho" ]]; then _sekisho "$@"; else compdef _sekisho sekisho; fi
"""
FISH = """\
complete -c sekisho -f -n 'test -n "$(sekisho --complete (commandline -opc)[2..] (commandline -ct))"' \\
    -a '(sekisho --complete (commandline -opc)[2..] (commandline -ct))'
"""
SCRIPTS = {"bash": BASH, "fish": FISH, "zsh": ZSH}
PLACES = {
    "bash": ".local/share/bash-completion/completions/sekisho",
    "fish": ".config/fish/completions/sekisho.fish",
    "zsh": ".zfunc/_sekisho",
}
"""Where each shell looks, below the home folder; zsh looks in ``.zfunc`` if its ``fpath`` says so."""


def list_completions(words: Sequence[str]) -> str:
    """Return what the last word may become, a line each with its meaning behind a tab.

    Nothing where a file or a value is due.
    """
    *before, last = words or [""]
    manual, place = read_manual(), ""
    for word in before:
        if word in manual[place]["commands"]:
            place = f"{place} {word}".strip()
    page = manual[place]
    if before and f"{before[-1]}=" in page["options"]:
        return ""
    if last.startswith("-"):
        choices = {name.removesuffix("="): line for name, line in page["options"].items()}
    else:
        choices = page["commands"] | list_added(place)
    return "".join(f"{name}\t{line}\n" for name, line in choices.items() if name.startswith(last))
