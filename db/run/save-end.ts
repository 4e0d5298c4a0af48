import { sql, type SQL } from 'drizzle-orm';
import { cleanText } from '../../domain/json/clean-text.ts';
import { insertBlobs, sha256 } from '../blobs.ts';
import type { Tx } from '../connect.ts';

export interface RunEnding {
  jobId: string;
  placement: number;
  follower: number;
  end: unknown;
  logTail: string;
  /** End of stdout, for a run that is scored by it. */
  stdoutTail?: string;
  seconds: number;
  artefacts: { path: string; content: Uint8Array }[];
  /** True: store only if no end is stored, and keep an end time that is stored. */
  first?: boolean;
}

/**
 * Stores how a run ended, how long it took and its artefacts. A trial with an outcome was charged by what was known
 * then. The rest is charged here, once, if this is the run that was charged. False: a newer monitor took over, or an
 * end was stored and `first` is set.
 */
export async function saveRunEnd(db: Tx, input: RunEnding): Promise<boolean> {
  const stored = input.artefacts.map(({ path, content }) => ({ path, hash: sha256(content), size: content.length }));
  for (;;) {
    const rows = await db.execute<{ saved: boolean; outrun: boolean }>(savingEnd(db, input, JSON.stringify(stored)));
    const { saved = false, outrun = false } = rows.rows[0] ?? {};
    // The outcome came while this waited for the trial's row. The next try locks the research's row first.
    if (!outrun) return saved;
  }
}

/** Stores the CPU seconds of the program that answered for a run; a later value replaces an earlier one. */
export async function saveAnswerCpu(
  db: Tx,
  { jobId, placement, cpuSeconds }: { jobId: string; placement: number; cpuSeconds: number },
): Promise<void> {
  await db.execute(sql`
    update runs set "end" = "end" || jsonb_build_object('answerCpuSeconds', ${cpuSeconds}::float8)
    where trial_id = ${jobId} and placement = ${placement} and "end" is not null`);
}

function savingEnd(db: Tx, input: RunEnding, artefacts: string): SQL {
  const { jobId, placement, seconds, first = false } = input;
  // One statement stores and references the contents, before a cleanup can remove them as unneeded. Contents are stored
  // under their hash: contents that are never referenced do no harm.
  const contents = input.artefacts.map(({ content }) => content);
  const stored = contents.length > 0 ? sql`stored as ${insertBlobs(db, contents)},` : sql``;
  return sql`
    with ${stored} paying as (
      select researches.id from researches join trials on trials.research_id = researches.id
      where trials.id = ${jobId} and trials.status is not null for no key update of researches),
    before as (
      select trials.id, research_id, status, coalesce(seconds, 0) as seconds,
        status is not null and payers = 0 as outrun,
        status is null or ${placement}::int = coalesce(
          (select max(placement) from runs where trial_id = ${jobId} and "end" is not null),
          ${placement}::int) as counts
      -- The research's row is locked before this one, as in statements that write an outcome.
      from trials, (select count(*) as payers from paying) locked
      where trials.id = ${jobId} for no key update of trials),
    ended as (
      update runs set "end" = ${JSON.stringify(input.end)}::jsonb, log_tail = ${cleanText(input.logTail)},
        stdout_tail = ${input.stdoutTail === undefined ? null : cleanText(input.stdoutTail)},
        ended_at = case when ${first} then coalesce(ended_at, now()) else now() end
      from (select count(*) filter (where outrun) as outrun from before) locked
      where locked.outrun = 0 and trial_id = ${jobId} and placement = ${placement} and follower = ${input.follower}
        and not (${first} and "end" is not null) returning trial_id),
    kept as (
      insert into artefacts (trial_id, placement, path, blob_hash, size)
      select ended.trial_id, ${placement}::int, item.path, item.hash, item.size
      from ended, jsonb_to_recordset(${artefacts}::jsonb) as item(path text, hash text, size bigint)
      on conflict do nothing),
    -- A charge is never reduced.
    noted as (
      update trials
      set seconds = case when before.status is null then ${seconds} else greatest(before.seconds, ${seconds}) end
      from ended, before where before.id = ended.trial_id and trials.id = before.id and counts),
    paid as (
      update researches set slot_seconds = slot_seconds + greatest(0, ${seconds} - before.seconds), updated_at = now()
      from ended, before
      where before.id = ended.trial_id and before.status is not null and counts and researches.id = before.research_id)
    select exists (select 1 from ended) as saved, exists (select 1 from before where outrun) as outrun`;
}
