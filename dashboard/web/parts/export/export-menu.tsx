import { useEffect, useRef, useState } from 'react';
import { csvText } from '../../../../view/figure/csv.ts';
import { htmlFile } from '../../../../view/figure/html-file.ts';
import { svgFile } from '../../../../view/figure/svg-text.ts';
import type { ExportedView } from '../../../../view/figure/exported-view.ts';
import { ZONE } from '../zone.ts';

interface File {
  name: string;
  type: string;
  text: string;
}

/** Downloads a text as a file. */
function download({ name, type, text }: File): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const FORMATS: { label: string; note: string; fileOf: (view: ExportedView) => File | null }[] = [
  {
    label: 'Page as HTML',
    note: 'one file, opens offline',
    fileOf: (view) => ({ name: `${view.stem}.html`, type: 'text/html', text: htmlFile(view) }),
  },
  {
    label: 'Chart as SVG',
    note: 'vectors, for papers',
    fileOf: ({ stem, drawings }) =>
      drawings[0] ? { name: `${stem}.svg`, type: 'image/svg+xml', text: svgFile(drawings[0]) } : null,
  },
  {
    label: 'Data as CSV',
    note: 'the data of the chart',
    fileOf: ({ stem, data }) => ({ name: `${stem}.csv`, type: 'text/csv', text: csvText(data) }),
  },
];

/** Menu that downloads the view as a file. The browser makes the file; the server receives nothing. */
export function ExportMenu({ view }: { view: () => ExportedView | Promise<ExportedView> }) {
  const root = useRef<HTMLDetailsElement>(null);
  const [status, setStatus] = useState<string | null>(null);
  useEffect(() => {
    const closeOutside = (event: Event) => {
      if (root.current?.open && !root.current.contains(event.target as Node)) root.current.open = false;
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, []);
  const exportFile = async (fileOf: (view: ExportedView) => File | null) => {
    setStatus('Making the file');
    try {
      const file = fileOf({ ...(await view()), zone: ZONE });
      if (!file) {
        setStatus('There is no chart yet.');
        return;
      }
      download(file);
      setStatus(null);
      if (root.current) root.current.open = false;
    } catch (error) {
      setStatus(`The file could not be made: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return (
    <details
      ref={root}
      className="export"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !root.current?.open) return;
        root.current.open = false;
        root.current.querySelector('summary')?.focus();
      }}
    >
      <summary className="button">Export</summary>
      <div className="export-menu">
        {FORMATS.map(({ label, note, fileOf }) => (
          <button key={label} type="button" onClick={() => void exportFile(fileOf)}>
            {label} <span className="quiet small">{note}</span>
          </button>
        ))}
        {status === null ? null : (
          <p className="small" role="status">
            {status}
          </p>
        )}
      </div>
    </details>
  );
}
