import type { Adapter } from '../step.ts';

/** A version of a research's policy. Version 0 has the weights with which the research began. */
export interface LearntVersion {
  research: string;
  version: number;
}

/** A version from which a policy descends. `checkpoint`: hash of its weights; null: those of a model. */
export interface Ancestor extends LearntVersion {
  checkpoint: string | null;
}

const VERSION = /^\d{1,9}$/;
/** Ids of researches, as `start` accepts them. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;

/**
 * The version that `search.proposer.base` names as ID@VERSION, split at the last `@`; null for any other text, such as
 * the name of a model or a path.
 */
export function parseLearntBase(base: string): LearntVersion | null {
  const at = base.lastIndexOf('@');
  const [research, version] = [base.slice(0, at), base.slice(at + 1)];
  return at > 0 && ID.test(research) && VERSION.test(version) ? { research, version: Number(version) } : null;
}

/** True if weights of one form can go on in the other: both low-rank with the same shape, or both all weights. */
export function isSameForm(one: Adapter, other: Adapter): boolean {
  if (one.kind === 'full' || other.kind === 'full') return one.kind === other.kind;
  const isSame = one.rank === other.rank && one.alpha === other.alpha;
  return isSame && one.targets.toSorted().join() === other.targets.toSorted().join();
}

/** A form of weights as a task writes it, for a message. */
export const describeForm = (adapter: Adapter): string =>
  adapter.kind === 'full'
    ? '{ kind: full }'
    : `{ kind: lora, rank: ${adapter.rank}, alpha: ${adapter.alpha}, targets: [${adapter.targets.join(', ')}] }`;
