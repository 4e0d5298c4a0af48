import { encodeNumber } from '../../../domain/json/number.ts';
import type { WorkspaceFile } from '../../../db/reads/read-files.ts';
import type { StoredArtefact } from '../../../db/reads/trial/read-artefacts.ts';
import type { TrialReport } from '../show.ts';
import { answerText, promptText } from './prompt-text.ts';
import { showJson } from './show-json.ts';

/** Everything that the database has of a trial. */
export interface StoredTrial {
  shown: TrialReport;
  /** The candidate's mutable files by path; null before there is one. */
  files: Record<string, Buffer> | null;
  artefacts: StoredArtefact[];
}

/** Files of `perpetua show --out`, sorted by path: `trial.json`, files, artefacts, log, curve, and model calls. */
export function trialFolder({ shown, files, artefacts }: StoredTrial): WorkspaceFile[] {
  const { runs, points, calls } = shown;
  const tail = runs[0]?.logTail;
  const contents = [file('trial.json', `${JSON.stringify(showJson(shown), null, 2)}\n`)];
  for (const [path, content] of Object.entries(files ?? {})) contents.push(file(`files/${path}`, content));
  for (const { path, content } of artefacts) if (content !== null) contents.push(file(`artefacts/${path}`, content));
  if (tail) contents.push(file('log.txt', tail));
  if (points.length > 0) contents.push(file('curve.csv', curveCsv(points)));
  for (const call of calls) {
    const { turn } = call;
    const answer = answerText(call);
    contents.push(file(`calls/${turn}-prompt.txt`, `${promptText(call)}\n`));
    if (answer !== null) contents.push(file(`calls/${turn}-answer.txt`, answer));
  }
  return contents.sort((a, b) => (a.path < b.path ? -1 : 1));
}

const file = (path: string, content: string | Buffer): WorkspaceFile => ({
  path,
  content: typeof content === 'string' ? Buffer.from(content) : content,
  executable: false,
});

/** The curve as CSV. Numbers that are not finite are written as in all JSON output: `nan`, `inf`, `-inf`. */
function curveCsv(points: TrialReport['points']): string {
  const rows = points.map(({ placement, step, elapsed, value, share }) =>
    [placement, step, elapsed, encodeNumber(value), share ?? ''].join(','),
  );
  return ['placement,step,elapsed_seconds,value,share', ...rows].join('\n') + '\n';
}
