/** Replaces CRLF, which browsers send in every form, and CR by LF. */
export const normalizeLineEndings = (text: string): string => text.replace(/\r\n?/g, '\n');
