import type { Trial } from '../../../api/trials/trial.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { nameBeside, type Row, rowsOf } from './rows.ts';

/** The facts of two trials side by side. Facts that differ come first; equal facts are folded. */
export function Facts({ a, b }: { a: Trial; b: Trial }) {
  const rows = rowsOf(a, b);
  const differing = rows.filter(({ differs }) => differs);
  const same = rows.filter(({ differs }) => !differs);
  return (
    <Panel title="Facts" note={`${differing.length} of ${rows.length} differ`}>
      <Table rows={differing} a={a} b={b} label="What differs" />
      {same.length === 0 ? null : (
        <details className="same-facts">
          <summary>{same.length} are the same</summary>
          <Table rows={same} a={a} b={b} label="What is the same" />
        </details>
      )}
    </Panel>
  );
}

function Table({ rows, a, b, label }: { rows: readonly Row[]; a: Trial; b: Trial; label: string }) {
  return (
    <table className="table compare-table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">
            <span className="unseen">Fact</span>
          </th>
          <th scope="col">{nameBeside(a, b)}</th>
          <th scope="col">{nameBeside(b, a)}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, a: left, b: right, differs }) => (
          <tr key={name} data-differs={differs}>
            <th scope="row">
              <UntrustedText text={name} line max={120} />
            </th>
            <Cell text={left} />
            <Cell text={right} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Cell = ({ text }: { text: string | null }) => (
  <td>{text === null ? <span className="quiet">–</span> : <UntrustedText text={text} line max={1000} />}</td>
);
