/** `slipway completion`: shell completion scripts, generated from the declared commands. */
import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Candidate {
  word: string;
  description: string;
}

/** What may follow a path of commands, such as `user add`; the empty path is the program itself. */
interface Place {
  path: string;
  commands: Candidate[];
  options: Candidate[];
  /** Of arguments that are one of a few words. */
  choices: string[];
}

/** Options that commander does not know of, because the command reads its arguments itself. */
export type OwnOptions = Readonly<Record<string, readonly string[]>>;

/** The script for one shell: `source <(slipway completion bash)`. */
export function completionScript(shell: Shell, program: Command, ownOptions: OwnOptions): string {
  const places = placesOf(program, '', ownOptions);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](places);
}

function placesOf(command: Command, path: string, ownOptions: OwnOptions): Place[] {
  const help = command.createHelp();
  const visible = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const own = (ownOptions[path] ?? []).map((word) => ({ word, description: '' }));
  const declared = help
    .visibleOptions(command)
    .map(({ long, description }) => ({ word: long ?? '', description }));
  const place = {
    path,
    commands: visible.map((one) => ({ word: one.name(), description: one.description() })),
    options: [...declared, ...own],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [
    place,
    ...visible.flatMap((one) => placesOf(one, path ? `${path} ${one.name()}` : one.name(), ownOptions)),
  ];
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const pathsOf = (places: readonly Place[]) =>
  places.filter(({ path }) => path !== '').map(({ path }) => path);
const wordsOf = ({ commands, options, choices }: Place) => [
  ...[...commands, ...options].map(({ word }) => word),
  ...choices,
];

function bashScript(places: readonly Place[]): string {
  const known = pathsOf(places).map(quoted).join(' | ');
  const cases = places.map(
    (place) => `    ${quoted(place.path)}) words=${quoted(wordsOf(place).join(' '))} ;;`,
  );
  return `# Completion of slipway for bash: source <(slipway completion bash)
_slipway() {
  local at= words= index next
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${at:+$at }\${COMP_WORDS[index]}"
    case "$next" in
    ${known}) at=$next ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _slipway slipway
`;
}

function zshScript(places: readonly Place[]): string {
  const known = pathsOf(places).map(quoted).join(' | ');
  // A colon separates a word from its description.
  const described = ({ word, description }: Candidate) =>
    quoted(description === '' ? word : `${word}:${description.replaceAll('\n', ' ')}`);
  const cases = places.map(({ path, commands, options, choices }) => {
    const words = [...commands, ...options, ...choices.map((word) => ({ word, description: '' }))];
    return `    ${quoted(path)}) words_here=(${words.map(described).join(' ')}) ;;`;
  });
  return `#compdef slipway
# Completion of slipway for zsh: source <(slipway completion zsh), after compinit.
_slipway() {
  local at= next word
  local -a words_here
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${at:+$at }$word"
    case "$next" in
    ${known}) at=$next ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  _describe -o slipway words_here || _files
}
compdef _slipway slipway
`;
}

function fishScript(places: readonly Place[]): string {
  const line = (path: string, { description }: Candidate, what: string) =>
    [
      `complete -c slipway -n ${quoted(`__slipway_at ${fishQuoted(path)}`)} ${what}`,
      ...(description === '' ? [] : [`-d ${fishQuoted(description)}`]),
    ].join(' ');
  const lines = places.flatMap(({ path, commands, options, choices }) => [
    ...commands.map((one) => line(path, one, `-f -a ${one.word}`)),
    ...choices.map((word) => line(path, { word, description: '' }, `-f -a ${word}`)),
    ...options.map((one) => line(path, one, `-l ${one.word.replace(/^--/, '')}`)),
  ]);
  return `# Completion of slipway for fish: slipway completion fish | source
set -g __slipway_paths ${pathsOf(places).map(fishQuoted).join(' ')}
function __slipway_at
    set -l at ""
    for token in (commandline -opc)[2..]
        set -l next (string trim -- "$at $token")
        if contains -- "$next" $__slipway_paths
            set at $next
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function fishQuoted(text: string): string {
  return `"${text.replaceAll(/["\\$]/g, '\\$&')}"`;
}
