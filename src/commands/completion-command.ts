/** `slipway completion`: shell completion scripts, generated from the declared commands. */
import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Candidate {
  word: string;
  description: string;
}

/** The completions after a command path, such as `user add`. The empty path is the program itself. */
interface CompletionContext {
  path: string;
  commands: Candidate[];
  options: Candidate[];
  /** The allowed values of arguments. */
  choices: string[];
}

/** Options of commands that parse their own arguments, and so are unknown to commander. */
export type OwnOptions = Readonly<Record<string, readonly string[]>>;

/** Returns the completion script for a shell: `source <(slipway completion bash)`. */
export function completionScript(shell: Shell, program: Command, ownOptions: OwnOptions): string {
  const contexts = contextsOf(program, '', ownOptions);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](contexts);
}

function contextsOf(command: Command, path: string, ownOptions: OwnOptions): CompletionContext[] {
  const help = command.createHelp();
  const visible = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const own = (ownOptions[path] ?? []).map((word) => ({ word, description: '' }));
  const declared = help
    .visibleOptions(command)
    .map(({ long, description }) => ({ word: long ?? '', description }));
  const context = {
    path,
    commands: visible.map((one) => ({ word: one.name(), description: one.description() })),
    options: [...declared, ...own],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [
    context,
    ...visible.flatMap((one) => contextsOf(one, path ? `${path} ${one.name()}` : one.name(), ownOptions)),
  ];
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const pathsOf = (contexts: readonly CompletionContext[]) =>
  contexts.filter(({ path }) => path !== '').map(({ path }) => path);
const wordsOf = ({ commands, options, choices }: CompletionContext) => [
  ...[...commands, ...options].map(({ word }) => word),
  ...choices,
];

function bashScript(contexts: readonly CompletionContext[]): string {
  const known = pathsOf(contexts).map(quoted).join(' | ');
  const cases = contexts.map(
    (context) => `    ${quoted(context.path)}) words=${quoted(wordsOf(context).join(' '))} ;;`,
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

function zshScript(contexts: readonly CompletionContext[]): string {
  const known = pathsOf(contexts).map(quoted).join(' | ');
  // A colon separates a word from its description.
  const described = ({ word, description }: Candidate) =>
    quoted(description === '' ? word : `${word}:${description.replaceAll('\n', ' ')}`);
  const cases = contexts.map(({ path, commands, options, choices }) => {
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

function fishScript(contexts: readonly CompletionContext[]): string {
  const line = (path: string, { description }: Candidate, what: string) =>
    [
      `complete -c slipway -n ${quoted(`__slipway_at ${quoteForFish(path)}`)} ${what}`,
      ...(description === '' ? [] : [`-d ${quoteForFish(description)}`]),
    ].join(' ');
  const lines = contexts.flatMap(({ path, commands, options, choices }) => [
    ...commands.map((one) => line(path, one, `-f -a ${one.word}`)),
    ...choices.map((word) => line(path, { word, description: '' }, `-f -a ${word}`)),
    ...options.map((one) => line(path, one, `-l ${one.word.replace(/^--/, '')}`)),
  ]);
  return `# Completion of slipway for fish: slipway completion fish | source
set -g __slipway_paths ${pathsOf(contexts).map(quoteForFish).join(' ')}
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

function quoteForFish(text: string): string {
  return `"${text.replaceAll(/["\\$]/g, '\\$&')}"`;
}
