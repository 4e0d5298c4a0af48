import { sql, type SQL } from 'drizzle-orm';
import { trialIdOf } from '../../../../domain/trial/ids.ts';
import { finiteOrNull } from '../../../../domain/json/number.ts';
import type { ShownVerdict, TrialKind, TrialStatus } from '../../../../domain/trial.ts';
import type { Tx } from '../../../connect.ts';
import { shownVerdictOrNone } from '../trials/filter.ts';

/** A trial that another trial's page names. */
export interface Relative {
  trialId: string;
  n: number;
  kind: TrialKind;
  status: TrialStatus | null;
  verdict: ShownVerdict;
  value: number | null;
  hypothesis: string | null;
}

export interface Relatives {
  /** First trial that ran its parent candidate. */
  parent: Relative | null;
  /** Trials whose parent is its candidate, and other trials that ran it: the first ones; `counts` has their numbers. */
  children: Relative[];
  reruns: Relative[];
  counts: { children: number; reruns: number };
  /** Numbers of the trials before and after it. */
  previous: number | null;
  next: number | null;
}

/** Most relatives of a kind. */
const MOST = 50;

interface TrialKey {
  researchId: string;
  n: number;
  candidateId: string | null;
  parentId: string | null;
}

/** Trials that are related to another one. */
export async function readRelatives(db: Tx, { researchId, n, candidateId, parentId }: TrialKey): Promise<Relatives> {
  const read = (which: SQL, limit: number) => readSome(db, { researchId, which, limit });
  const parents = sql`trials.candidate_id = ${parentId} and trials.n <> ${n}`;
  const children = sql`trials.parent_id = ${candidateId} and trials.candidate_id is distinct from ${candidateId}`;
  const reruns = sql`trials.candidate_id = ${candidateId} and trials.n <> ${n}`;
  const isMade = parentId !== null && parentId !== candidateId;
  return {
    parent: isMade ? ((await read(parents, 1)).at(0) ?? null) : null,
    children: candidateId === null ? [] : await read(children, MOST),
    reruns: candidateId === null ? [] : await read(reruns, MOST),
    ...(await readAround(db, { researchId, n, counted: { children, reruns } })),
  };
}

async function readSome(
  db: Tx,
  { researchId, which, limit }: { researchId: string; which: SQL; limit: number },
): Promise<Relative[]> {
  const { rows } = await db.execute<Omit<Relative, 'trialId'> & Record<string, unknown>>(sql`
    select trials.n, trials.kind, trials.status, ${shownVerdictOrNone(researchId)} as verdict,
      trials.value, trials.hypothesis
    from trials where trials.research_id = ${researchId} and ${which} order by trials.n limit ${limit}`);
  return rows.map((row) => ({ ...row, trialId: trialIdOf(researchId, row.n), value: finiteOrNull(row.value) }));
}

async function readAround(
  db: Tx,
  { researchId, n, counted }: { researchId: string; n: number; counted: { children: SQL; reruns: SQL } },
): Promise<Pick<Relatives, 'counts' | 'previous' | 'next'>> {
  const ofResearch = sql`from trials where trials.research_id = ${researchId}`;
  const { rows } = await db.execute<Record<'children' | 'reruns', number> & Record<'previous' | 'next', number | null>>(
    sql`select (select count(*)::int ${ofResearch} and ${counted.children}) as children,
      (select count(*)::int ${ofResearch} and ${counted.reruns}) as reruns,
      (select max(trials.n) ${ofResearch} and trials.n < ${n}) as previous,
      (select min(trials.n) ${ofResearch} and trials.n > ${n}) as next`,
  );
  const { children = 0, reruns = 0, previous = null, next = null } = rows[0] ?? {};
  return { counts: { children, reruns }, previous, next };
}
