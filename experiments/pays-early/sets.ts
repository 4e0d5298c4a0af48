import { hashToSeed } from '../../domain/trial/seed.ts';
import type { ReplayCurve } from '../../domain/abort/replay/types.ts';
import type { Direction } from '../../domain/abort/types.ts';
import { loadCurves } from '../../tasks/curves/load-curves.ts';

/** Curves that a choice may be made by, or curves that judge what was chosen. */
export type Role = 'tuning' | 'judging';

/** One kind of research: the runs that it may have, and how many it has. */
export interface CurveSet {
  name: string;
  direction: Direction;
  trials: number;
  curves: readonly ReplayCurve[];
}

/** Finals below this are of another quantity than the rest of the GPT runs; the yardstick leaves them out too. */
const LOWEST = 0.5;

const isSound = ({ points, final }: ReplayCurve): boolean =>
  Number.isFinite(final) && points.every(({ value }) => Number.isFinite(value));

/** One in three names is for tuning: a hash of the name alone decides, twice, since FNV mixes its last bytes least. */
export const roleOf = (name: string): Role => (hashToSeed(String(hashToSeed(name))) % 3 === 0 ? 'tuning' : 'judging');

/** GPT runs: recipes (groups) of a track are for tuning or for judging, whole. */
const GPT = [
  { track: 'track_1_short', trials: 46 },
  { track: 'track_3_optimization', trials: 100 },
] as const;
/** Agents on Atari games: games are for tuning or for judging, whole. */
const GAMES = ['alien', 'asterix', 'breakout', 'pong', 'qbert', 'seaquest'] as const;
const GAME_TRIALS = 80;

/** The sets of a role, from the file of GPT runs and that of Atari runs. */
export async function setsOf(files: { gpt: string; atari: string }, role: Role): Promise<CurveSet[]> {
  const gpt = GPT.map(async ({ track, trials }): Promise<CurveSet> => {
    const { curves } = await loadCurves(files.gpt, { track });
    const own = curves.filter((curve) => roleOf(curve.group) === role && isSound(curve) && curve.final >= LOWEST);
    return { name: track, direction: 'minimize', trials, curves: own };
  });
  const games = GAMES.filter((game) => roleOf(game) === role).map(async (track): Promise<CurveSet> => {
    const { curves } = await loadCurves(files.atari, { track });
    return { name: track, direction: 'maximize', trials: GAME_TRIALS, curves: curves.filter(isSound) };
  });
  return Promise.all([...gpt, ...games]);
}
