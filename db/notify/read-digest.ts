import type { MessageBody } from '../../domain/notify/message.ts';
import { shortLine } from '../../domain/notify/notice.ts';
import { isCheck } from '../../domain/research/check-id.ts';
import { plural } from '../../domain/text/plural.ts';
import { hasEnded } from '../../view/phase.ts';
import { digestLines } from '../../view/report/digest.ts';
import type { ResearchReport } from '../../view/report/report.ts';
import type { Db } from '../connect.ts';
import { readReport } from '../reads/report/read-report.ts';
import { readResearches, type ResearchView } from '../reads/read-research.ts';

const HOUR_MS = 3_600_000;

interface Input {
  /** Sink that gets it; absent: all researches. */
  sink?: string;
  since: Date;
  now: Date;
}

/** The daily report about the researches that use a sink, without those that ended before the period. */
export async function readDigest(db: Db, { sink, since, now }: Input): Promise<MessageBody> {
  const isCovered = ({ id, notify, phase, updatedAt }: ResearchView): boolean =>
    !isCheck(id) &&
    (sink === undefined || notify === null || notify.includes(sink)) &&
    (!hasEnded(phase) || updatedAt.getTime() >= since.getTime());
  const reports = await db.transaction(
    async (tx) => {
      const { sound } = await readResearches(tx);
      const all: ResearchReport[] = [];
      for (const research of sound.filter(isCovered)) all.push(await readReport(tx, { research, since, now }));
      return all;
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
  const hours = Math.max(1, Math.ceil((now.getTime() - since.getTime()) / HOUR_MS));
  const claims = reports.reduce((sum, report) => sum + report.claims.length, 0);
  const needs = reports.some(({ needsYou }) => needsYou.length > 0) ? ', something needs you' : '';
  return {
    title: `the last ${plural(hours, 'hour')}: ${plural(claims, 'new claim')}${needs}`,
    lines: digestLines(reports, hours).map(shortLine),
    commands: [`npx perpetua report --since ${hours}h`],
  };
}
