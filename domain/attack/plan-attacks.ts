import type { Attack, Target } from './attack.ts';
import { carryScript, LANGUAGES } from './carrier.ts';
import { scriptOf } from './script.ts';

/** One attack on a task: its candidates, or the reason why there are none. */
export type Planned = { attack: Attack } & (
  { fits: true; candidates: Record<string, string>[] } | { fits: false; why: string }
);

export interface PlanInput {
  target: Target;
  /** The mutable files of the original. */
  files: Readonly<Record<string, string>>;
  /** Includes attacks that burden the machine. */
  heavy: boolean;
}

/** Plans each attack on a task: the candidates that try it, or the reason why there are none. */
export function planAttacks(attacks: readonly Attack[], input: PlanInput): Planned[] {
  return attacks.map((attack) => {
    const why = whyNot(attack, input);
    return why === null
      ? { attack, fits: true, candidates: candidatesOf(attack, input) }
      : { attack, fits: false, why };
  });
}

function whyNot({ unfit, heavy }: Attack, { target, files, heavy: takesHeavy }: PlanInput): string | null {
  if (Object.keys(carryScript(files, '')).length === 0)
    return `none of its mutable files is in a language that attacks support (.${LANGUAGES.join(', .')})`;
  const why = unfit?.(target) ?? null;
  if (why !== null) return why;
  const cost = takesHeavy ? null : (heavy?.(target) ?? null);
  return cost === null ? null : `${cost}; to run it, add --heavy`;
}

function candidatesOf(attack: Attack, { target, files }: PlanInput): Record<string, string>[] {
  const { name, times = 1 } = attack;
  return Array.from({ length: times }, (_, nth) =>
    carryScript(files, scriptOf(`${name} ${nth + 1}`, attack.acts(target))),
  );
}
