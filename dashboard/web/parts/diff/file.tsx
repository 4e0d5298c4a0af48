import { useMemo, useState } from 'react';
import type { FileDiff } from '../../../api/trials/diff.ts';
import { visible } from '../../../../domain/text/visible.ts';
import { UntrustedText } from '../untrusted-text.tsx';
import { prepareHunk, type PreparedHunk } from './prepare-hunk.ts';
import { SideBySide } from './side-by-side.tsx';
import { Code, MARKS } from './code.tsx';
import { formatInteger } from '../numbers.ts';

/** Limit of lines of a file that are shown at first. */
const SHOWN = 400;

const KIND_WORDS: Record<FileDiff['kind'], string> = {
  changed: '',
  added: 'new file',
  removed: 'removed',
  binary: 'not text: its bytes differ',
};

interface Props {
  file: FileDiff;
  split: boolean;
  /** True: the file is unfolded at first. */
  unfolded: boolean;
}

/** The diff of one file, which can be folded. */
export function File({ file, split, unfolded }: Props) {
  const { path, kind, added, removed, hunks } = file;
  const [open, setOpen] = useState(unfolded);
  return (
    <details className="diff-file" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="path">
          <UntrustedText text={path} line max={300} />
        </span>
        {KIND_WORDS[kind] ? <span className="quiet">{KIND_WORDS[kind]}</span> : null}
        {kind === 'binary' ? null : (
          <span className="diff-tally">
            <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
          </span>
        )}
      </summary>
      {open && hunks.length > 0 ? <Hunks file={file} split={split} label={visible(path)} /> : null}
    </details>
  );
}

function Hunks({ file: { hunks }, split, label }: { file: FileDiff; split: boolean; label: string }) {
  const [all, setAll] = useState(false);
  const read = useMemo(() => hunks.map(prepareHunk), [hunks]);
  const total = read.reduce((sum, hunk) => sum + rowsOf(hunk, split), 0);
  let remaining = all ? Infinity : SHOWN;
  const shown = read.map((hunk) => {
    const rows = Math.max(0, Math.min(remaining, rowsOf(hunk, split)));
    remaining -= rows;
    return rows;
  });
  const View = split ? SideBySide : Unified;
  return (
    <>
      <table className={split ? 'diff-table split' : 'diff-table'} aria-label={`Change of ${label}`}>
        {read.map((hunk, index) =>
          shown[index] === 0 ? null : (
            <tbody key={index}>
              {index === 0 ? null : <Gap split={split} />}
              <View hunk={hunk} shown={shown[index] ?? 0} />
            </tbody>
          ),
        )}
      </table>
      {all || total <= SHOWN ? null : (
        <button type="button" className="button more-lines" onClick={() => setAll(true)}>
          Show {formatInteger(total - SHOWN)} more lines
        </button>
      )}
    </>
  );
}

/** The first `shown` lines of a hunk as a unified diff: removed lines above added ones. */
function Unified({ hunk: { lines, parts }, shown }: { hunk: PreparedHunk; shown: number }) {
  return lines.slice(0, shown).map((line, index) => (
    <tr key={index} className={line.kind}>
      <td className="line-no" data-n={line.oldNo ?? ''} />
      <td className="line-no" data-n={line.newNo ?? ''} />
      <td className="mark">{MARKS[line.kind]}</td>
      <td className="code">
        <Code line={line} parts={parts.get(index)} />
      </td>
    </tr>
  ));
}

/** Row for unchanged lines that are left out. It has the cells of a line, so that the columns keep their widths. */
const Gap = ({ split }: { split: boolean }) => (
  <tr className="gap">
    <td className="line-no" />
    {split ? null : <td className="line-no" />}
    <td className="mark" />
    <td className="code">⋯</td>
    {split ? (
      <>
        <td className="line-no" />
        <td className="mark" />
        <td className="code" />
      </>
    ) : null}
  </tr>
);

const rowsOf = ({ lines, rows }: PreparedHunk, split: boolean): number => (split ? rows.length : lines.length);
