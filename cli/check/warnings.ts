import { hasModel } from '../../config/has-model.ts';
import { promptCut, type PromptCut } from '../../domain/search/context/build-messages.ts';
import { readPoints, type TrialView } from '../../db/reads/read-trial.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { configOf, withDb } from '../context.ts';
import type { Io } from '../io.ts';
import { findProposer } from '../../domain/search/proposer/find-proposer.ts';
import { factsOf } from '../../domain/search/proposer/makers.ts';
import { AUTO, proposerOf } from '../../domain/search/proposer/table.ts';
import { canLearn, hasTrainer } from '../../infra/trainer/has-trainer.ts';
import { diskShortage } from '../../domain/task/disk-shortage.ts';
import { diskSizeMb } from '../../infra/files.ts';
import { contextOf } from '../../domain/search/context/table.ts';
import { firstPromptInput } from '../../tasks/first-prompt.ts';
import { unseenByCommands } from '../../domain/tools/unseen-by-setup.ts';

/** What a valid task will not do as it is meant to. Only a worker knows its environment; here it is mostly the same. */
export async function warnBeforeRun(
  io: Io,
  { loaded, withoutStack }: { loaded: LoadedTask; withoutStack: boolean },
): Promise<string[]> {
  const { task } = loaded;
  const config = configOf(io);
  const model = hasModel(config);
  const { chosen, problem } = findProposer(task, {
    ...{ model, policy: hasTrainer(config), learning: canLearn(config) },
  });
  const asked = task.search.proposer === AUTO ? null : task.search.proposer;
  const { pool } = task.run.resources;
  const tooLarge = withoutStack && pool === 'local' ? await neverFitsHere(io, loaded) : null;
  return [
    ...(problem === null
      ? []
      : [
          placed(
            loaded,
            'search.proposer',
            `\`start\` would refuse it where the worker has the environment of this shell: ${problem}`,
          ),
        ]),
    ...(model && asked !== null && !factsOf(asked).readsPrompt
      ? [placed(loaded, 'search.proposer', notAsked(proposerOf(asked).name))]
      : []),
    ...(chosen !== null && factsOf(chosen).readsPrompt ? cutOf(loaded) : []),
    ...(tooLarge === null ? [] : [tooLarge]),
    ...setupOf(loaded),
    // With a stack the fleet itself tells.
    ...(pool === 'local' || !withoutStack
      ? []
      : [
          placed(
            loaded,
            'run.resources.pool',
            `run.resources.pool: \`start\` refuses it where no worker has slots of the pool ${pool}`,
          ),
        ]),
  ];
}

/** With a stack the worker refuses it. */
async function neverFitsHere(io: Io, loaded: LoadedTask): Promise<string | null> {
  const { home } = configOf(io);
  const problem = diskShortage(loaded.task, await diskSizeMb(home));
  return problem && placed(loaded, 'run.resources.diskMb', `\`start\` would refuse it on this machine: ${problem}`);
}

/** With its place, where the file has the key that is at fault. */
const placed = ({ positionOf: placeOf }: Pick<LoadedTask, 'positionOf'>, key: string, text: string): string => {
  const place = placeOf(key.split('.'));
  return place === null ? text : `${place} ${text}`;
};

/** What the first prompts leave out: nobody else would notice. */
function cutOf(loaded: LoadedTask): string[] {
  const cut = promptCut(firstPromptInput(loaded), contextOf(loaded.task.search.context).method);
  if (cut === null) return [];
  return [placed(loaded, cut.parts[0] === 'prompt' ? 'prompt' : 'mutable', cutWords(cut))];
}

/** A setup that goes on without a file that it names does so in silence. */
function setupOf(loaded: LoadedTask): string[] {
  const unseen = unseenByCommands(loaded.task.setup?.commands ?? [], loaded.mutablePaths);
  return unseen === null ? [] : [placed(loaded, 'setup.commands', unseen)];
}

const notAsked = (proposer: string): string =>
  `a model endpoint is set, and this task does not ask it: search.proposer is ${proposer}; auto or llm does`;

const PARTS = { files: 'the mutable files', prompt: 'the prompt file' };

function cutWords({ shown, whole, parts }: PromptCut): string {
  const what = parts.length === 0 ? 'the whole' : parts.map((part) => PARTS[part]).join(' and ');
  const sizes = `${shown.toLocaleString('en')} of ${whole.toLocaleString('en')} characters`;
  return `a model sees ${sizes} of its prompt: ${what} is too long; shorten it, or narrow mutable`;
}

/** What the run did not give and nobody else would miss: progress that no pattern matches, secondary metrics. */
export async function warnAfterRun(
  io: Io,
  { loaded, view: { trial } }: { loaded: LoadedTask; view: TrialView },
): Promise<string[]> {
  if (trial.status !== 'completed') return [];
  const { task } = loaded;
  const given = trial.metrics ?? {};
  const absent = task.secondary.map(({ name }) => name).filter((name) => !Object.hasOwn(given, name));
  const warnings =
    absent.length === 0
      ? []
      : [
          placed(
            loaded,
            'secondary',
            `the evaluator gave no ${absent.join(', ')} (secondary): it gave ${Object.keys(given).join(', ') || 'nothing'}`,
          ),
        ];
  if (!task.progress) return warnings;
  if ((await withDb(io, (db) => readPoints(db, { trialId: trial.id }))).length > 0) return warnings;
  return [
    ...warnings,
    placed(
      loaded,
      'progress',
      'no line of the run was progress: expected one that progress matches; without any, no run has a curve',
    ),
  ];
}
