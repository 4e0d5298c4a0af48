import { environmentFor } from './advice.ts';
import { findLaunched, translateLaunched } from './launcher.ts';

/** Output of a launcher that cannot install packages without a network, or that found no environment. */
const CANNOT_INSTALL = [
  /failed to (?:download|fetch|connect|establish)|error sending request|dns error|name resolution|connection error/i,
  /creating (?:a )?virtual ?env|no virtual environment|could not find (?:conda )?environment/i,
  /EnvironmentLocationNotFound/,
];

/** True if the output of a launched program shows that its launcher failed, and not the program. */
export const isLauncherFailure = (log: string, tool: string): boolean =>
  new RegExp(`\\b${tool}\\b['"\u2018\u2019]?: (?:command )?not found`).test(log) ||
  CANNOT_INSTALL.some((sign) => sign.test(log));

/** Facts on which the advice about a launcher depends. */
interface LaunchedFacts {
  /** Versions to choose from, the most likely one first. */
  pythons: readonly string[];
  /** Script of the command that declares its own packages (PEP 723); null: none, or unknown. */
  script: string | null;
}

/** Advice about a command that a launcher such as `uv run` starts; null if none does. */
export function launcherAdvice(command: string, { pythons, script }: LaunchedFacts): string | null {
  const [launched] = findLaunched(command);
  if (launched === undefined) return null;
  const { tool, text } = launched;
  const translated = translateLaunched(launched);
  const plain = typeof translated === 'string' ? null : command.replace(text, () => translated.command);
  const instead = plain === null ? 'the program itself as the command' : `the command  ${plain}`;
  if (tool === 'uv' || tool === 'uvx') {
    const lock = script === null ? 'uv.lock' : 'requirements.lock';
    const how =
      script === null
        ? '`uv lock` writes uv.lock; copy it and pyproject.toml beside task.yaml.'
        : `${script} declares its own packages: \`uv export --script ${script} -o requirements.lock\` ` +
          'writes the lock to put beside task.yaml.';
    return (
      `${tool} cannot install packages in a run, which has no network. Let Perpetua install them. ` +
      `In task.yaml, set  ${environmentFor(pythons, lock)}  and ${instead}. ${how}`
    );
  }
  return (
    `A run does not see the environments of ${tool}. ` +
    `In task.yaml, set ${instead}, and under run  path: [/folder/of/its/environment/bin]. ` +
    `Or list its packages in a lock file:  ${environmentFor(pythons)}`
  );
}
