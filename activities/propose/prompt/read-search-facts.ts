import type { Research } from '../../../db/research/research.ts';
import type { ProposedCandidate } from '../../../db/trial/prompt-input/search-facts.ts';
import type { CandidateMean } from '../../../db/trial/prompt-input/candidate-means.ts';
import { baseline } from '../../../domain/gate/gate.ts';
import type { PromptInput } from '../../../domain/prompt/prompt-input.ts';
import type { Inspiration, KnownIdea, Lineage, Stalls } from '../../../domain/prompt/search-facts.ts';
import type { ContextReads } from '../../../domain/search/context.ts';
import { chooseInspirations, type Placed } from '../../../domain/search/context/lineage/choose-inspirations.ts';
import { findStalls } from '../../../domain/search/context/lineage/find-stalls.ts';
import { compare, groupIdeas, type Comparison } from '../../../domain/search/context/lineage/group-ideas.ts';
import type { ActivityDeps } from '../../deps.ts';

/** Ancestors of a candidate that are read. */
const DEPTH = 30;
/** Last trials whose ideas the table of outcomes counts. */
const TRIED = 500;
/** Best candidates among which each inspiration is chosen. */
const POOL = 8;
/** Most trials since the best one that are counted. */
const COUNTED = 1000;

interface Reading {
  deps: ActivityDeps;
  research: Research;
  /** Candidate of the files that the prompt shows. */
  parentId: string;
  reads: ContextReads;
  comparison: Comparison;
  /** Best candidates, best first. */
  best: (ProposedCandidate & { n: number })[];
  /** Paths of ancestors of the parent and of the best candidates, by candidate. */
  paths: Map<string, ProposedCandidate[]>;
  means: Map<string, CandidateMean>;
}

/** Reads what a prompt shows of the search as a whole, as far as the context asks for it. */
export async function readSearchFacts(
  deps: ActivityDeps,
  { research, parentId, reads, minDelta }: Pick<Reading, 'research' | 'parentId' | 'reads'> & { minDelta: number },
): Promise<Pick<PromptInput, 'lineage' | 'inspirations' | 'stalls'>> {
  const researchId = research.id;
  const { sign } = research.gate;
  const { sd } = baseline(research.gate);
  const comparison = { sign, noise: Math.max(minDelta, sd ?? 0) };
  const limit = Math.max(reads.lineage, reads.inspirations * POOL, reads.stuck > 0 ? 1 : 0);
  const ns = await deps.store.trial.findBestTrials({ researchId, sign, sd: sd ?? 0, limit });
  const best = await deps.store.trial.findProposals({ researchId, ns });
  const pool = reads.inspirations > 0 ? best.map(({ candidateId }) => candidateId) : [];
  const candidateIds = [...new Set([parentId, ...pool])];
  const paths =
    reads.lineage + reads.inspirations > 0
      ? await deps.store.trial.findAncestors({ researchId, candidateIds, depth: DEPTH })
      : new Map<string, ProposedCandidate[]>();
  const measured = [parentId, ...best.map(({ candidateId }) => candidateId)];
  for (const { candidateId } of paths.get(parentId) ?? []) measured.push(candidateId);
  measured.push(research.baselineCandidate);
  const means = await deps.store.trial.findCandidateMeans({ researchId, candidateIds: [...new Set(measured)] });
  const reading = { deps, research, parentId, reads, comparison, best, paths, means };
  const [lineage, inspirations, stalls] = await Promise.all([
    lineageOf(reading),
    inspirationsOf(reading),
    stallsOf(reading),
  ]);
  return {
    ...(lineage === null ? {} : { lineage }),
    ...(inspirations.length === 0 ? {} : { inspirations }),
    stalls,
  };
}

const knownIdea = ({ n, candidateId, hypothesis }: ProposedCandidate, means: Reading['means']): KnownIdea => {
  const measured = means.get(candidateId);
  return { n, hypothesis, value: measured?.mean ?? null, runs: measured?.runs ?? 0 };
};

async function lineageOf({ deps, research, parentId, reads, comparison, ...read }: Reading): Promise<Lineage | null> {
  if (reads.lineage === 0) return null;
  const { best, paths, means } = read;
  const path = (paths.get(parentId) ?? []).toReversed();
  const researchId = research.id;
  const tried = await deps.store.trial.findTriedIdeas({ researchId, limit: TRIED });
  // A join would read all trials of the research.
  const candidateIds = [...new Set(tried.flatMap(({ parentId }) => parentId ?? []))];
  const parents = await deps.store.trial.findCandidateMeans({ researchId, candidateIds });
  return {
    path: path.map((one) => knownIdea(one, means)),
    isCut: path[0] !== undefined && path[0].candidateId !== research.baselineCandidate,
    leaders: best.slice(0, reads.lineage).map((one) => knownIdea(one, means)),
    groups: groupIdeas(
      tried.map((idea) => ({ ...idea, parentValue: parents.get(idea.parentId ?? '')?.mean ?? null })),
      comparison,
    ),
  };
}

async function inspirationsOf({ deps, research, parentId, reads, ...read }: Reading): Promise<Inspiration[]> {
  if (reads.inspirations === 0) return [];
  const { best, paths, means } = read;
  const ids = [parentId, ...best.map(({ candidateId }) => candidateId)];
  const niches = await deps.store.trial.findNiches({ researchId: research.id, candidateIds: ids });
  const placed = (candidateId: string): Placed => ({
    candidateId,
    ancestors: (paths.get(candidateId) ?? []).slice(1).map((one) => one.candidateId),
    niche: niches.get(candidateId) ?? null,
  });
  const chosen = chooseInspirations(
    best.map(({ candidateId }) => placed(candidateId)),
    { parent: placed(parentId), count: reads.inspirations },
  );
  const diffs = await deps.store.trial.findDiffs(chosen.map((candidateId) => ({ candidateId, parentId })));
  return chosen.flatMap((candidateId, i) => {
    const one = best.find((other) => other.candidateId === candidateId);
    const diff = diffs[i] ?? '';
    if (one === undefined || diff === '') return [];
    return [{ ...knownIdea(one, means), niche: niches.get(candidateId) ?? null, diff }];
  });
}

async function stallsOf({ deps, research, parentId, reads, comparison, best, means }: Reading): Promise<Stalls> {
  const researchId = research.id;
  const { stuck, saturation } = reads;
  const valueOf = (candidateId: string): number | null => means.get(candidateId)?.mean ?? null;
  const [first] = best;
  const original = valueOf(research.baselineCandidate);
  const top = first === undefined ? null : valueOf(first.candidateId);
  const isBetter =
    top !== null && original !== null && compare(top, original, { ...comparison, noise: 0 }) === 'better';
  const since = first !== undefined && isBetter ? first.n : null;
  const [sinceBest, children] = await Promise.all([
    stuck === 0 ? 0 : deps.store.trial.countSince({ researchId, n: since ?? 0, most: Math.max(COUNTED, stuck) }),
    deps.store.trial.findChildren({ researchId, parentId, limit: saturation }),
  ]);
  return findStalls(
    { sinceBest, best: since, children, parentValue: valueOf(parentId) },
    { ...comparison, stuck, saturation },
  );
}
