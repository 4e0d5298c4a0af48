import { steerPolicy, type Steered } from '../../db/learning/steer-policy.ts';
import type { PolicyWish } from '../../domain/learning/apply-policy-wish.ts';
import { describeVersion, learningLines } from '../../view/policy/learning.ts';
import { refused } from '../errors.ts';
import { printLine, printJson, type Io } from '../io.ts';
import { parseVersion, pickPolicy } from './pick.ts';
import { withDb } from '../context.ts';
import { cleanText } from '../../domain/json/clean-text.ts';

interface SteerOptions {
  id: string;
  because?: string;
  json?: boolean;
}

/** `perpetua policy pin`. */
export async function pin(
  io: Io,
  { version, off = false, ...options }: SteerOptions & { version: string | undefined; off?: boolean },
): Promise<void> {
  if (off === (version !== undefined))
    throw refused(`Expected the version to pin, or --off; got ${off ? 'both' : 'neither'}.`);
  const wish: PolicyWish = version === undefined ? { kind: 'unpin' } : { kind: 'pin', version: parseVersion(version) };
  await steer(io, wish, options);
}

/** `perpetua policy rollback`. */
export async function rollback(io: Io, { version, ...options }: SteerOptions & { version: string }): Promise<void> {
  await steer(io, { kind: 'rollback', version: parseVersion(version) }, options);
}

async function steer(io: Io, wish: PolicyWish, { id, because, json }: SteerOptions): Promise<void> {
  const { workflowId, steered } = await withDb(io, async (db) => {
    const { research } = await pickPolicy(db, id);
    const why = because === undefined ? null : cleanText(because);
    return {
      workflowId: research.id,
      steered: await steerPolicy(db, { researchId: research.id, wish, because: why }),
    };
  });
  const { from, changed, policy } = steered;
  if (json) {
    const { inForce: version, pinned, halted } = policy;
    return printJson(io, { workflowId, from, version, pinned, halted, changed });
  }
  for (const line of describeSteered(workflowId, steered)) printLine(io, line);
}

function describeSteered(id: string, { changed, policy }: Steered): string[] {
  const { inForce, pinned, halted } = policy;
  const done = `${id}: ${describeVersion(inForce)} is ${pinned ? 'pinned; nothing is learnt' : 'in force'}`;
  const effect = 'it takes effect with the next group of samples; a research that waits reads it within a minute';
  const learning = { version: inForce, pinned: false, halted };
  const lines = changed ? [done, effect] : [`${done}, as before`];
  if (!pinned) lines.push(...learningLines({ learning, workflowId: id }));
  return lines;
}
