import { and, desc, eq, inArray, isNotNull } from 'drizzle-orm';
import { PROPOSAL_KINDS } from '../../../../domain/trial.ts';
import type { Tx } from '../../../connect.ts';
import { trials } from '../../../schema.ts';
import { fileDiffs } from '../../diff/file-diffs.ts';
import { unifiedDiff } from '../../diff/unified-diff.ts';
import { readCandidateFiles } from '../../read-files.ts';

/** Newest idea, as a unified diff against its parent. */
export interface IdeaView {
  trialId: string;
  n: number;
  hypothesis: string | null;
  diff: string;
  cut: boolean;
}

/** Most lines, and most characters of a line: more than a person reads at a glance. */
const LINES = 200;
const LINE = 500;

/** Diffs that are kept. */
const KEPT = 20;

export type IdeaReader = (db: Tx, input: { researchId: string }) => Promise<IdeaView | null>;

/**
 * Creates a reader of a research's newest proposal that has a candidate; it returns null before there is one. It keeps
 * the last diffs, since the files of a candidate never change.
 */
export function createIdeaReader(): IdeaReader {
  const kept = new Map<string, Pick<IdeaView, 'diff' | 'cut'>>();
  return async (db, { researchId }) => {
    const { id, n, hypothesis, candidateId, parentId } = trials;
    const [newest] = await db
      .select({ trialId: id, n, hypothesis, candidateId, parentId })
      .from(trials)
      .where(and(eq(trials.researchId, researchId), inArray(trials.kind, [...PROPOSAL_KINDS]), isNotNull(candidateId)))
      .orderBy(desc(n))
      .limit(1);
    if (!newest) return null;
    const key = `${newest.candidateId} ${newest.parentId}`;
    const shown = kept.get(key) ?? (await readDiff(db, newest));
    kept.set(key, shown);
    for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old);
    return { trialId: newest.trialId, n: newest.n, hypothesis: newest.hypothesis, ...shown };
  };
}

async function readDiff(
  db: Tx,
  { candidateId, parentId }: { candidateId: string | null; parentId: string | null },
): Promise<Pick<IdeaView, 'diff' | 'cut'>> {
  const after = await filesOf(db, candidateId);
  const before = await filesOf(db, parentId);
  const lines = unifiedDiff(fileDiffs(before, after)).split('\n');
  const short = lines.map((line) => (line.length > LINE ? `${line.slice(0, LINE)}…` : line));
  const cut = lines.length > LINES || lines.some((line) => line.length > LINE);
  return { diff: short.slice(0, LINES).join('\n'), cut };
}

const filesOf = async (db: Tx, candidateId: string | null): Promise<Record<string, Buffer>> =>
  candidateId === null ? {} : ((await readCandidateFiles(db, { candidateId })) ?? {});
