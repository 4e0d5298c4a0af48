import { knobValuesIn } from '../../domain/edit/knob-edit.ts';
import { unfitReason } from '../../domain/edit/apply-edits.ts';
import { candidateContent } from '../../domain/trial/candidate.ts';
import type { Inject } from '../../domain/messages.ts';
import { withSettings } from '../../domain/search/overrides.ts';
import { startingPoint } from '../../domain/search/parent/starting-point.ts';
import type { ActivityDeps, Part } from '../deps.ts';
import { injectRun } from './inject-run.ts';
import { parentFiles } from '../propose/parent-files.ts';
import { pointsOf } from './points.ts';

/** Queues a person's proposal, once per key; returns why it is refused, or null. */
export async function injectInto(
  { store, machine }: Pick<ActivityDeps, 'store'> & Part<'machine', 'sha256'>,
  input: Inject & { researchId: string; key: string; altered?: boolean },
): Promise<string | null> {
  if (input.altered)
    return 'expected text, came NUL characters or halves of characters (lone surrogates); send it without them';
  const research = await store.research.findResearch(input.researchId);
  if (!research) return `research ${input.researchId} is not in the database`;
  const version = await store.task.loadTaskVersion(research.taskHash);
  const outside = Object.keys(input.files).find((path) => !version.mutablePaths.includes(path));
  if (outside !== undefined)
    return `files.${nameOf(outside)}: expected one of the mutable files ${version.mutablePaths.join(', ')}`;
  const unfit = Object.entries(input.files).flatMap(([path, text]) => unfitReason(path, text) ?? []);
  if (unfit[0] !== undefined) return `files: ${unfit[0]}`;
  const { search } = withSettings(version.task, research.settings);
  const parentId = startingPoint(search.parent, pointsOf(research));
  const files = { ...(await parentFiles(store, { parentId, version })), ...input.files };
  await injectRun(store, {
    researchId: research.id,
    taskHash: research.taskHash,
    key: input.key,
    candidate: {
      id: machine.sha256(candidateContent(files, version.immutableHash)),
      immutableHash: version.immutableHash,
      files,
    },
    knobs: knobValuesIn(version.task.knobs, files),
    parentId,
    hypothesis: input.hypothesis,
  });
  return null;
}

/** A key as it stands, or in quotes where it could be misread. */
const nameOf = (path: string): string => (/^\w[\w./-]*$/.test(path) ? path : JSON.stringify(path));
