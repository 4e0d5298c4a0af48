/** What a model is told of how to answer; `parseAnswer` reads exactly this (and forgives a little more). */
export const ANSWER_FORMAT = `Answer in this form:

HYPOTHESIS: one or two sentences: what you change and why it should help
EXPECTED_DELTA: the change of the metric you expect, as a number (or leave the line out)

Then the edits. Change parts of a file with one or more SEARCH/REPLACE blocks, each under a line with the file's path:

path/to/file
<<<<<<< SEARCH
lines of the file, copied exactly, enough of them to occur only once
=======
the lines that take their place
>>>>>>> REPLACE

Or give a whole new file in a fenced block under a line with its path; use a longer fence than any in the file:

path/to/file
\`\`\`\`
the whole new content
\`\`\`\`

Only the files shown to you may be changed; no new ones may be made. If the lines themselves hold "=======", use longer
marks, all three of the same length. Put no other fenced block in the answer.`;
