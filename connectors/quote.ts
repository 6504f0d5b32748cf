/** Names and texts as SQL, for SQLite and DuckDB alike. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`
