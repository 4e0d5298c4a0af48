import type { Ancestor, LearntVersion } from '../../domain/learning/weights/learnt-base.ts';

/** The line of descent of a research's policy. */
export interface Descent {
  /** Model from which the first ancestor learnt; null if the research has no policy any more. */
  model: string | null;
  /** Versions of other researches from which it descends, the oldest first. */
  ancestors: Ancestor[];
  /** Researches that began with a version of this research. */
  heirs: LearntVersion[];
}

/** Weights of version 0: the hash of the learnt version with which the policy began, or the model. */
export const startOf = ({ model, ancestors }: Pick<Descent, 'model' | 'ancestors'>): string | null =>
  ancestors.at(-1)?.checkpoint ?? model;

const SHORT = 12;

/** Model and versions with which a policy began, the oldest first: `smollm2-135m → lr-knob@3 (3fa92c1b0a11)`. */
export function describeOrigin({ model, ancestors }: Pick<Descent, 'model' | 'ancestors'>): string | null {
  if (model === null) return null;
  const versions = ancestors.map(
    ({ research, version, checkpoint }) =>
      `${research}@${version}${checkpoint === null ? '' : ` (${checkpoint.slice(0, SHORT)})`}`,
  );
  return [model, ...versions].join(' → ');
}

/** Each research that began with a version of this one: `version 3: tuned, eval/tuned`. */
export function describeHeirs({ heirs }: Pick<Descent, 'heirs'>): string[] {
  const byVersion = new Map<number, string[]>();
  for (const { research, version } of heirs) byVersion.set(version, [...(byVersion.get(version) ?? []), research]);
  return [...byVersion].map(([version, researches]) => `version ${version}: ${researches.join(', ')}`);
}
