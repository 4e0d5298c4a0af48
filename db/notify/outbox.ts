import { sql, type SQL } from 'drizzle-orm';
import type { AttentionMessage } from '../../domain/notify/attention.ts';
import type { News } from '../../domain/notify/news.ts';
import { cleanJson } from '../../domain/json/clean-text.ts';
import { CHECK_PREFIXES } from '../../domain/research/check-id.ts';
import type { Tx } from '../connect.ts';

/** Condition: `sinks` gets messages of that urgency. */
const sends = (urgency: 'now' | 'soon'): SQL => sql`sinks.spec -> 'send' ? ${urgency}::text`;

/** Condition: the row of `researches` uses the row of `sinks`. No command's own research, such as a check, uses one. */
export const usesSink = sql`(researches.notify is null or researches.notify ? sinks.name)
  and not exists (
    select 1 from unnest(${sql.param([...CHECK_PREFIXES])}::text[]) prefix where starts_with(researches.id, prefix))`;

/** Time at which claims and ends of now are sent to `sinks`. */
const SOON = sql`clock_timestamp() + (sinks.spec ->> 'soonMinutes')::float8 * interval '1 minute'`;

/**
 * Insert of messages about news, as a part of the statement that stores the event. `rows` selects `kind`,
 * `research_id` and `body`. The lock skips a sink that is being removed, whose foreign key would fail the statement.
 */
const insertSoon = (rows: SQL, condition = sql`true`): SQL => sql`
  insert into messages (sink, kind, research_id, body, due_at)
  select sinks.name, news.kind, news.research_id, news.body, ${SOON}
  from (${rows}) news join researches on researches.id = news.research_id
    join sinks on ${sends('soon')} and ${usesSink}
  where ${condition} order by sinks.name for key share of sinks`;

/** Writes the messages about news, one for each sink that gets them. */
export async function insertNews(db: Tx, news: readonly News[]): Promise<void> {
  if (news.length === 0) return;
  const rows = news.map(({ kind, researchId, body }) => ({ kind, researchId, body: cleanJson(body) }));
  await db.execute(
    insertSoon(sql`
      select kind, "researchId" as research_id, body
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row(kind text, "researchId" text, body jsonb)`),
  );
}

/**
 * Insert of messages about the end of a research, as a part of the statement that stores its phase. `changed` names
 * the part with the phase before. A sink that gets what needs you gets a failure as that, and not twice.
 */
export const insertEnd = (changed: SQL, { phase, reason }: { phase: string; reason: string | null }): SQL =>
  insertSoon(
    sql`select 'end' as kind, id as research_id, jsonb_build_object(
        'title', concat('it has ', case ${phase}::text when 'failed' then 'failed' else 'ended' end,
          ': ' || nullif(${reason}::text, '')),
        'lines', '[]'::jsonb, 'commands', jsonb_build_array('npx perpetua report ' || id)) as body
      from ${changed} where ${phase}::text in ('stopped', 'failed') and phase <> ${phase}::text`,
    sql`${phase}::text <> 'failed' or not (${sends('now')})`,
  );

/**
 * Writes messages about entries of "needs you" that appeared, or that a further research joined: to each sink that a
 * research of the entry uses, once. An entry of no research goes to every sink.
 */
export async function insertNeeds(db: Tx, entries: readonly AttentionMessage[]): Promise<void> {
  for (const { entry, researches, body } of entries)
    await db.execute(sql`
      insert into messages (sink, kind, research_id, entry, body, due_at)
      select sinks.name, 'needs-you', ${onlyOne(researches)}, ${entry}, ${JSON.stringify(cleanJson(body))}::jsonb,
        clock_timestamp()
      from sinks where ${sends('now')} and (${researches.length === 0} or exists (
        select 1 from researches where id = any(${sql.param([...researches])}::text[]) and ${usesSink}))
        and not exists (select 1 from messages sent where sent.entry = ${entry} and sent.sink = sinks.name)
      order by sinks.name for key share of sinks`);
}

/**
 * Writes messages about entries that ended, to the sinks that got the entry. If the first message is in no delivery
 * yet, it is withdrawn, and nothing is sent.
 */
export async function insertOvers(db: Tx, entries: readonly AttentionMessage[]): Promise<void> {
  for (const { entry, researches, body } of entries)
    await db.execute(sql`
      with last as (
        select distinct on (sink) id, sink, kind, delivery, held from messages
        where entry = ${entry} order by sink, created_at desc),
      open as (select * from last where kind = 'needs-you'),
      withdrawn as (
        delete from messages using open where messages.id = open.id and open.delivery is null and not open.held)
      insert into messages (sink, kind, research_id, entry, body, due_at)
      select sink, 'over', ${onlyOne(researches)}, ${entry}, ${JSON.stringify(cleanJson(body))}::jsonb,
        clock_timestamp()
      from open where delivery is not null or held order by sink`);
}

/** The research of an entry, if it is about one alone: its messages are deleted with it. */
const onlyOne = (researches: readonly string[]): string | null =>
  researches.length === 1 ? (researches[0] ?? null) : null;
