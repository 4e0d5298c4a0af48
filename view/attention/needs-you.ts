import { hasEnded } from '../phase.ts';
import { DEEDS_AFTER_END, deedsOf, type Deed } from './deeds.ts';
import type { Attention, CalmState, Finding, NeedsYou } from './entry.ts';
import type { AttentionFacts, AttentionHost } from './facts.ts';
import { HOST_DEEDS } from './host-deeds.ts';
import { STATES } from './states.ts';

/** Largest number of different reasons that an entry shows. */
const MOST_REASONS = 2;

interface Input {
  researches: readonly AttentionFacts[];
  hosts: readonly AttentionHost[];
}

/**
 * The conditions of researches and hosts. Findings with one cause are one entry, since a person acts once. A finding
 * that the product may still end by itself is a state.
 */
export function needsYou({ researches, hosts }: Input, now: Date): NeedsYou {
  const open = researches.filter(({ phase }) => !hasEnded(phase));
  const ended = researches.filter(({ phase }) => hasEnded(phase));
  const joined = [
    ...deedsOf(now).flatMap((deed) => join(deed, open)),
    ...DEEDS_AFTER_END.flatMap((deed) => join(deed, ended)),
    ...HOST_DEEDS.flatMap((deed) => join(deed, hosts)),
  ];
  const isDue = ({ patienceSeconds, entry: { at } }: Joined): boolean =>
    at === null || now.getTime() - new Date(at).getTime() >= patienceSeconds * 1000;
  return {
    attention: joined
      .filter(isDue)
      .map(({ entry }) => entry)
      .sort(byUrgency),
    states: [
      ...joined.filter((one) => !isDue(one)).map(({ entry }) => stateOf(entry)),
      ...open.flatMap((facts) => STATES.flatMap((rule) => rule(facts))),
    ],
  };
}

interface Joined {
  entry: Attention;
  patienceSeconds: number;
}

/** The entries of one rule, one for each cause. */
function join<Facts>({ name, level, patienceSeconds, find }: Deed<Facts>, all: readonly Facts[]): Joined[] {
  const causes = new Map<string, Finding[]>();
  for (const facts of all) {
    const found = find(facts);
    if (found !== null) causes.set(found.cause, [...(causes.get(found.cause) ?? []), found]);
  }
  return [...causes].map(([cause, alike]) => ({
    entry: { key: `${name}:${cause}`, level, ...joinAlike(alike) },
    patienceSeconds,
  }));
}

/** Joins findings of one cause. The one that began first names the title and the fingerprint. */
function joinAlike(alike: readonly Finding[]): Omit<Attention, 'key' | 'level'> {
  const ordered = alike.toSorted((a, b) => order(a).localeCompare(order(b), 'en'));
  const [first] = ordered as [Finding, ...Finding[]];
  const { fingerprint, title, commands } = first;
  return {
    fingerprint,
    researches: [...new Set(ordered.flatMap(({ researches }) => researches))].toSorted(),
    title,
    why: joinReasons(ordered.flatMap(({ why }) => why ?? [])),
    at: ordered.map(({ at }) => at).find((at) => at !== null) ?? null,
    commands,
  };
}

/** Orders by beginning, then by research; a finding with an unknown beginning comes last. */
const order = ({ at, researches }: Finding): string => `${at ?? '9'} ${researches.join(' ')}`;

function joinReasons(all: readonly string[]): string | null {
  const reasons = [...new Set(all)];
  if (reasons.length === 0) return null;
  const shown = reasons.slice(0, MOST_REASONS);
  if (reasons.length > MOST_REASONS) shown.push('…');
  return shown.join('; ');
}

const stateOf = ({ researches, title, why, at, commands }: Attention): CalmState => ({
  researches,
  title,
  why,
  at,
  commands,
});

/** Orders entries: the most severe first, then the newest, then by key. */
const byUrgency = (a: Attention, b: Attention): number =>
  Number(a.level === 'notice') - Number(b.level === 'notice') ||
  (b.at ?? '').localeCompare(a.at ?? '', 'en') ||
  a.key.localeCompare(b.key, 'en');
