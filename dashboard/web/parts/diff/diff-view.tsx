import type { Diff } from '../../../api/trials/diff.ts';
import { Empty } from '../empty.tsx';
import { File } from './file.tsx';

/** Limit of lines that are unfolded at first, over all files. The first file is always unfolded. */
const UNFOLDED = 600;

/** A diff, file by file. If there is none, shows the reason. */
export function DiffView({ diff: { files, nothing, cut }, split }: { diff: Diff; split: boolean }) {
  if (files.length === 0) return <Empty>{nothing ?? 'Nothing differs.'}</Empty>;
  let lines = 0;
  return (
    <div className="diff">
      {files.map((file, index) => {
        lines += file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
        const unfolded = file.kind !== 'binary' && (index === 0 || lines <= UNFOLDED);
        return <File key={file.path} file={file} split={split} unfolded={unfolded} />;
      })}
      {cut ? <p className="quiet small">The change is longer: the command shows all of it.</p> : null}
    </div>
  );
}
