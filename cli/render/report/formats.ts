import { htmlFile } from '../../../view/figure/html-file.ts';
import { momentText } from '../../../view/figure/exported-view.ts';
import type { ResearchReport } from '../../../view/report/report.ts';
import { reportSections } from '../../../view/report/report-sections.ts';

/** Reports of researches at a time. */
export interface Reports {
  reports: readonly ResearchReport[];
  at: Date;
}

const titleOf = ({ id }: ResearchReport): string => id;
const subtitleOf = ({ status, since }: ResearchReport): string =>
  `${status.task}, ${status.metric.name} (${status.metric.direction}), since ${momentText(new Date(since))}`;

const indent = (code: string): string[] => code.split('\n').map((line) => `      ${line}`);

/** Plain text for a terminal. */
function text({ reports }: Reports): string {
  const lines = reports.flatMap((report) => [
    `${titleOf(report)}  ${subtitleOf(report)}`,
    ...reportSections(report).flatMap(({ title, items }) => [
      `  ${title}`,
      ...items.flatMap(({ text: line, code }) => [`    ${line}`, ...(code === undefined ? [] : indent(code))]),
    ]),
    '',
  ]);
  return lines.join('\n');
}

/** Characters of Markdown that a candidate's text may contain. */
const escapeMarkdown = (line: string): string => line.replace(/[\\`*_[\]<>#|]/g, '\\$&');

/** A fence that is longer than each run of backticks in the code. */
function fence(code: string): string[] {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return ['', `  ${mark}`, ...code.split('\n').map((line) => `  ${line}`), `  ${mark}`];
}

function markdown({ reports, at }: Reports): string {
  const lines = reports.flatMap((report) => [
    `# ${escapeMarkdown(titleOf(report))}`,
    '',
    `${escapeMarkdown(subtitleOf(report))}, as of ${momentText(at)}`,
    '',
    ...reportSections(report).flatMap(({ title, items }) => [
      `## ${title}`,
      '',
      ...items.flatMap(({ text: line, code }) => [
        `- ${escapeMarkdown(line)}`,
        ...(code === undefined ? [] : fence(code)),
      ]),
      '',
    ]),
  ]);
  return lines.join('\n');
}

function html({ reports, at }: Reports): string {
  const [only, ...others] = reports;
  const prefix = (report: ResearchReport): string => (others.length === 0 ? '' : `${titleOf(report)}: `);
  return htmlFile({
    stem: 'report',
    title: only !== undefined && others.length === 0 ? titleOf(only) : 'Report of all researches',
    subtitle: reports.map(subtitleOf).join(' · '),
    at,
    facts: [],
    drawings: [],
    sections: reports.flatMap((report) =>
      reportSections(report).map(({ title, items }) => ({
        title: prefix(report) + title,
        table: {
          columns: ['', ''],
          rows: items.map(({ text: line, code }) => [line, code ?? null]),
        },
      })),
    ),
    data: { columns: [], rows: [] },
  });
}

/** Writers of a report, by format. */
export const REPORT_FORMATS = { text, md: markdown, html } as const;
export type ReportFormat = keyof typeof REPORT_FORMATS;
