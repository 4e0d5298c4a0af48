import { useEffect, useRef, useState } from 'react';
import { csvText } from '../../../../view/figure/csv.ts';
import { htmlFile } from '../../../../view/figure/html-file.ts';
import { svgFile } from '../../../../view/figure/svg-text.ts';
import type { ExportedView } from '../../../../view/figure/exported-view.ts';

interface File {
  name: string;
  type: string;
  text: string;
}

/** Hands a text to the browser as a file to keep. */
function download({ name, type, text }: File): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const FORMS: { words: string; note: string; fileOf: (view: ExportedView) => File | null }[] = [
  {
    words: 'Page as HTML',
    note: 'one file, opens offline',
    fileOf: (view) => ({ name: `${view.stem}.html`, type: 'text/html', text: htmlFile(view) }),
  },
  {
    words: 'Chart as SVG',
    note: 'vectors, for papers',
    fileOf: ({ stem, drawings }) =>
      drawings[0] ? { name: `${stem}.svg`, type: 'image/svg+xml', text: svgFile(drawings[0]) } : null,
  },
  {
    words: 'Data as CSV',
    note: 'what the chart shows',
    fileOf: ({ stem, data }) => ({ name: `${stem}.csv`, type: 'text/csv', text: csvText(data) }),
  },
];

/** Takes the view away as a file, made here and now from what the page shows; nothing is sent anywhere. */
export function ExportMenu({ view }: { view: () => ExportedView | Promise<ExportedView> }) {
  const root = useRef<HTMLDetailsElement>(null);
  const [said, say] = useState<string | null>(null);
  useEffect(() => {
    const away = (event: Event) => {
      if (root.current?.open && !root.current.contains(event.target as Node)) root.current.open = false;
    };
    document.addEventListener('pointerdown', away);
    return () => document.removeEventListener('pointerdown', away);
  }, []);
  const take = async (fileOf: (view: ExportedView) => File | null) => {
    say('Making the file');
    try {
      const file = fileOf(await view());
      if (!file) return say('There is no chart yet.');
      download(file);
      say(null);
      if (root.current) root.current.open = false;
    } catch (error) {
      say(`It could not be made: ${error instanceof Error ? error.message : String(error)}`);
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
        {FORMS.map(({ words, note, fileOf }) => (
          <button key={words} type="button" onClick={() => void take(fileOf)}>
            {words} <span className="quiet small">{note}</span>
          </button>
        ))}
        {said === null ? null : (
          <p className="small" role="status">
            {said}
          </p>
        )}
      </div>
    </details>
  );
}
