import { warnOfCode } from '../../domain/artefact/find-code.ts';
import { warnOfEvaluatorModel } from './warn-of-evaluator-model.ts';
import { missingAgents } from './warn-of-agent.ts';
import { hasModel, offeredModels } from '../../config/has-model.ts';
import { lacksModelOf } from '../../domain/llm/asked-model.ts';
import { promptCut, type PromptCut } from '../../domain/search/context/build-messages.ts';
import { readPoints, type TrialView } from '../../db/reads/read-trial.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { configOf, withDb } from '../context.ts';
import type { Io } from '../io.ts';
import { findProposer } from '../../domain/search/proposer/find-proposer.ts';
import { factsOf } from '../../domain/search/proposer/makers.ts';
import { idleCacheText } from '../../domain/search/known/reuse.ts';
import { AUTO, proposerOf } from '../../domain/search/proposer/table.ts';
import { hasOptimizer } from '../../infra/optimizer/optimizer-paths.ts';
import { canLearn, hasTrainer } from '../../infra/trainer/has-trainer.ts';
import { diskShortage } from '../../domain/task/disk-shortage.ts';
import { diskSizeMb } from '../../infra/files.ts';
import { contextOf } from '../../domain/search/context/table.ts';
import { firstPromptInput } from '../../tasks/first-prompt.ts';
import { decodeText } from '../../tasks/decode-text.ts';
import { hasInlineMetadata } from '../../domain/tools/launcher.ts';
import { launcherAdvice } from '../../domain/tools/launcher-advice.ts';
import { projectPython } from '../../domain/tools/project-python.ts';
import { unseenByCommands } from '../../domain/tools/unseen-by-setup.ts';

/**
 * Warns of parts of a valid task that will not work as intended. Judges by this shell's environment; the worker may
 * have another one.
 */
export async function warnBeforeRun(
  io: Io,
  { loaded, withoutStack }: { loaded: LoadedTask; withoutStack: boolean },
): Promise<string[]> {
  const { task } = loaded;
  const config = configOf(io);
  const model = hasModel(config);
  const { chosen, problem } = findProposer(task, {
    model: lacksModelOf(offeredModels(config), task),
    policy: hasTrainer(config),
    optimizer: hasOptimizer(config),
    learning: canLearn(config),
  });
  const named = task.search.proposer === AUTO ? null : task.search.proposer;
  const { pool } = task.run.resources;
  const cache = idleCacheText(task);
  const diskWarning = withoutStack && pool === 'local' ? await warnOfDisk(io, loaded) : null;
  const warnings: string[] = [];
  if (problem !== null)
    warnings.push(
      withPosition(
        loaded,
        'search.proposer',
        `\`start\` would refuse the task if the worker has this shell's environment: ${problem}`,
      ),
    );
  const evaluator = warnOfEvaluatorModel(io, loaded);
  if (evaluator !== null) warnings.push(withPosition(loaded, 'evaluator.llm', evaluator));
  for (const missing of chosen === null ? [] : missingAgents(io, chosen))
    warnings.push(
      withPosition(loaded, 'search.proposer', `\`start\` would refuse the task: search.proposer.agent: ${missing}`),
    );
  if (model && named !== null && !factsOf(named).readsPrompt)
    warnings.push(withPosition(loaded, 'search.proposer', unusedModelText(proposerOf(named).name)));
  if (chosen !== null && factsOf(chosen).readsPrompt) warnings.push(...warnOfCutPrompt(loaded));
  if (diskWarning !== null) warnings.push(diskWarning);
  if (cache !== null) warnings.push(withPosition(loaded, 'search.cache', cache));
  warnings.push(...warnOfSetup(loaded), ...warnOfLaunchers(loaded));
  // With a stack, `check` reads the pool's hosts from the database instead.
  if (pool !== 'local' && withoutStack)
    warnings.push(
      withPosition(
        loaded,
        'run.resources.pool',
        `run.resources.pool: \`start\` refuses the task if no worker has slots of the pool ${pool}`,
      ),
    );
  return warnings;
}

/** Warns of a task that needs more disk than this machine has. With a stack, the worker refuses such a task itself. */
async function warnOfDisk(io: Io, loaded: LoadedTask): Promise<string | null> {
  const { home } = configOf(io);
  const problem = diskShortage(loaded.task, await diskSizeMb(home));
  return (
    problem && withPosition(loaded, 'run.resources.diskMb', `\`start\` would refuse it on this machine: ${problem}`)
  );
}

/** Prefixes a warning with the key's position in the task's file, if the file has the key. */
const withPosition = ({ positionOf }: Pick<LoadedTask, 'positionOf'>, key: string, text: string): string => {
  const position = positionOf(key.split('.'));
  return position === null ? text : `${position} ${text}`;
};

/** Warns if the first prompt is cut: nothing else reports the cut. */
function warnOfCutPrompt(loaded: LoadedTask): string[] {
  const cut = promptCut(firstPromptInput(loaded), contextOf(loaded.task.search.context).method);
  if (cut === null) return [];
  return [withPosition(loaded, cut.parts[0] === 'prompt' ? 'prompt' : 'mutable', cutText(cut))];
}

/** Warns of setup commands that name mutable files, which setup does not see: some commands ignore a missing file. */
function warnOfSetup(loaded: LoadedTask): string[] {
  const unseen = unseenByCommands(loaded.task.setup?.commands ?? [], loaded.mutablePaths);
  return unseen === null ? [] : [withPosition(loaded, 'setup.commands', unseen)];
}

/** Warns of commands that a tool such as `uv run` starts: it installs packages, which a run cannot do. */
function warnOfLaunchers(loaded: LoadedTask): string[] {
  const { run, evaluator } = loaded.task;
  const texts = loaded.workspace.map(({ path, content }) => ({ path, text: decodeText(content) ?? '' }));
  const { pinned, lowest } = projectPython(Object.fromEntries(texts.map(({ path, text }) => [path, text])));
  const pythons = [pinned ?? lowest].filter((version) => version !== null);
  const commands = [{ key: 'run.command', command: run.command }];
  if (evaluator.type !== 'none') commands.push({ key: 'evaluator.command', command: evaluator.command });
  return commands.flatMap(({ key, command }) => {
    const script = texts.find(({ path, text }) => command.split(/\s+/).includes(path) && hasInlineMetadata(text));
    const advice = launcherAdvice(command, { pythons, script: script?.path ?? null });
    return advice === null ? [] : [withPosition(loaded, key, advice)];
  });
}

const unusedModelText = (proposer: string): string =>
  `a model endpoint is set, but this task does not use it: search.proposer is ${proposer}; set auto or llm to use it`;

const PARTS = { files: 'the mutable files', prompt: 'the prompt file' };

function cutText({ shown, whole, parts }: PromptCut): string {
  const longParts = parts.length === 0 ? 'its parts' : parts.map((part) => PARTS[part]).join(' and ');
  const sizes = `${shown.toLocaleString('en')} of ${whole.toLocaleString('en')} characters`;
  return `the prompt is too long, so a model gets ${sizes} of it; shorten ${longParts}, or narrow mutable`;
}

/** Warns of results that the run did not give and nothing else reports: secondary metrics and progress lines. */
export async function warnAfterRun(
  io: Io,
  { loaded, view: { trial } }: { loaded: LoadedTask; view: TrialView },
): Promise<string[]> {
  if (trial.status !== 'completed') return [];
  const { task } = loaded;
  const given = trial.metrics ?? {};
  const absent = task.secondary.map(({ name }) => name).filter((name) => !Object.hasOwn(given, name));
  const warnings: string[] = [];
  if (trial.artefactCode !== null) warnings.push(withPosition(loaded, 'run.artefacts', warnOfCode(trial.artefactCode)));
  if (absent.length > 0) {
    const names = Object.keys(given).join(', ') || 'nothing';
    const text = `expected the evaluator to report ${absent.join(', ')} (secondary), it reported ${names}`;
    warnings.push(withPosition(loaded, 'secondary', text));
  }
  if (!task.progress) return warnings;
  if ((await withDb(io, (db) => readPoints(db, { trialId: trial.id }))).length > 0) return warnings;
  warnings.push(
    withPosition(
      loaded,
      'progress',
      'expected lines of the run that progress matches, got none; without them no run has a curve',
    ),
  );
  return warnings;
}
