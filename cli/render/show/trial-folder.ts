import { encodeNumber } from '../../../domain/json/number.ts';
import type { WorkspaceFile } from '../../../db/reads/read-files.ts';
import type { StoredArtefact } from '../../../db/reads/trial/read-artefacts.ts';
import type { TrialReport } from '../show.ts';
import { promptText } from './prompt-text.ts';
import { showJson } from './show-json.ts';

/** All that is stored of a trial, as it lies in the database. */
export interface StoredTrial {
  shown: TrialReport;
  /** The candidate's mutable files by path; null before there is one. */
  files: Record<string, Buffer> | null;
  artefacts: StoredArtefact[];
}

/** The files of `perpetua show --out`: `trial.json`, and each thing that the trial has in a place of its own. */
export function trialFolder({ shown, files, artefacts }: StoredTrial): WorkspaceFile[] {
  const { runs, points, calls } = shown;
  const tail = runs[0]?.logTail;
  const made = [
    file('trial.json', `${JSON.stringify(showJson(shown), null, 2)}\n`),
    ...Object.entries(files ?? {}).map(([path, content]) => file(`files/${path}`, content)),
    ...artefacts.flatMap(({ path, content }) => (content === null ? [] : [file(`artefacts/${path}`, content)])),
    ...(tail ? [file('log.txt', tail)] : []),
    ...(points.length > 0 ? [file('curve.csv', curveCsv(points))] : []),
    ...calls.flatMap(({ turn, request, answer }) => [
      file(`calls/${turn}-prompt.txt`, `${promptText(request)}\n`),
      ...(answer === null ? [] : [file(`calls/${turn}-answer.txt`, answer)]),
    ]),
  ];
  return made.sort((a, b) => (a.path < b.path ? -1 : 1));
}

const file = (path: string, content: string | Buffer): WorkspaceFile => ({
  path,
  content: typeof content === 'string' ? Buffer.from(content) : content,
  executable: false,
});

/** Numbers that are not finite are written as JSON encodes them elsewhere: `nan`, `inf`, `-inf`. */
function curveCsv(points: TrialReport['points']): string {
  const rows = points.map(({ placement, step, elapsed, value, share }) =>
    [placement, step, elapsed, encodeNumber(value), share ?? ''].join(','),
  );
  return ['placement,step,elapsed_seconds,value,share', ...rows].join('\n') + '\n';
}
