/** Reasons for which nothing is judged at a clause. */

export const HEADING = 'a heading or summary; what stands below it is judged';
export const ADVICE = 'advice to clients; it binds no server';
export const NOT_SHOWN = 'the document says that it does not show this';
export const INSIDE = 'happens inside the deployment; no response shows it';
