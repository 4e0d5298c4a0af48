import type { Research } from '../../db/research/research.ts';
import type { Task } from '../../domain/task/task.ts';
import { readsOf } from '../../domain/search/context/table.ts';
import type { ActivityDeps } from '../deps.ts';
import { refuse } from '../task/refuse.ts';
import { requireSameSeed } from './research-settings.ts';

/** Facts that a start may name and a known research keeps. */
interface Beginning {
  seed?: string;
  memoryFrom?: string;
}

/** The research whose memory a new research begins with; null: none. Refuses one without a memory. */
export async function memorySource(
  { store }: Pick<ActivityDeps, 'store'>,
  { memoryFrom }: Beginning,
  { search }: Pick<Task, 'search'>,
): Promise<string | null> {
  if (memoryFrom === undefined) return null;
  if (!readsOf(search.context).memory)
    throw refuse(
      `input: memoryFrom: expected a research whose models keep a memory; search.context has none. ` +
        "Add --set 'search.context={name: history, memory: true}'",
      'BadInput',
    );
  if ((await store.trial.findMemory(memoryFrom)) === null)
    throw refuse(
      `input: memoryFrom: expected a research with a memory, got ${JSON.stringify(memoryFrom)}, which has none`,
      'BadInput',
    );
  return memoryFrom;
}

/** Refuses another seed root or another memory than a research began with. */
export async function requireSameBeginning(
  { store }: Pick<ActivityDeps, 'store'>,
  known: Research,
  { seed, memoryFrom }: Beginning,
): Promise<void> {
  requireSameSeed(known, seed);
  if (memoryFrom === undefined) return;
  const has = await store.trial.findMemorySource(known.id);
  if (has === memoryFrom) return;
  throw refuse(
    `input: memoryFrom: expected ${has === null ? 'none' : JSON.stringify(has)}, with which research ${known.id} ` +
      `began; got ${JSON.stringify(memoryFrom)}; leave it out, or start the research under another workflow id (--id)`,
    'OtherSettings',
  );
}
