/**
 * A field of a record as a text. PostgreSQL refuses to look into JSON in which any text holds what
 * no text of its own can (a NUL, half a pair of surrogates): there, the escapes give way to `?`.
 */
export const FIELDS_OF_RECORDS = [
  `CREATE FUNCTION field_of(record text, path text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
   $$
   BEGIN
     IF strpos(record, '\\u') = 0 THEN RETURN record::json #>> path; END IF;
     BEGIN
       RETURN record::json #>> path;
     EXCEPTION WHEN data_exception THEN
       RETURN regexp_replace(record, '(\\\\\\\\)|\\\\u[0-9a-fA-F]{4}', '\\1?', 'g')::json #>> path;
     END;
   EXCEPTION WHEN data_exception THEN RETURN NULL;
   END $$`,
]
