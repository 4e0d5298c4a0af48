import { useState } from 'react';
import { UntrustedText } from '../untrusted-text.tsx';
import { formatInteger } from '../numbers.ts';

/** A chart's data as rows of text. `href`: address of the row's subject. */
export interface TableData {
  head: readonly string[];
  rows: readonly { cells: readonly string[]; href?: string }[];
}

const PAGE = 50;

/** The chart's data as a table with pages of rows. */
export function ChartTable({ table: { head, rows }, label }: { table: TableData; label: string }) {
  const [first, setFirst] = useState(0);
  const from = Math.min(first, Math.max(0, rows.length - 1));
  const shown = rows.slice(from, from + PAGE);
  const pageButton = (offset: number, label: string) => (
    <button
      type="button"
      className="button"
      disabled={from + offset < 0 || from + offset >= rows.length}
      onClick={() => setFirst(from + offset)}
    >
      {label}
    </button>
  );
  return (
    <div className="chart-table">
      <div className="scroll" tabIndex={0} role="region" aria-label={`${label}, as a table`}>
        <table className="table">
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ cells, href }, index) => (
              <tr key={from + index}>
                {cells.map((cell, column) => (
                  <td key={head[column]}>
                    {column === 0 && href !== undefined ? <a href={href}>{cell}</a> : <UntrustedText text={cell} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > PAGE ? (
        <p className="row small">
          {pageButton(-PAGE, 'Previous')}
          {pageButton(PAGE, 'Next')}
          <span className="quiet">
            {from + 1} to {from + shown.length} of {formatInteger(rows.length)}
          </span>
        </p>
      ) : null}
    </div>
  );
}
