/**
 * A setting of a transaction. A record out of which something is taken is no new version of it, and
 * whoever may write rows may say so, without a right to change tables.
 */
export const WITHOUT_VERSIONS = 'tillage.without_versions'

export const KEPT_VERSIONS = [
  `CREATE OR REPLACE FUNCTION keep_version() RETURNS trigger LANGUAGE plpgsql AS
   $$ BEGIN
     IF current_setting('${WITHOUT_VERSIONS}', true) = 'on' THEN RETURN NEW; END IF;
     INSERT INTO versions (stream, store_id, id, from_batch, to_batch, modified, gone_at, raw)
     VALUES (TG_ARGV[0], OLD.store_id, OLD.id, OLD.batch, NEW.batch, OLD.modified, OLD.gone_at,
       OLD.raw);
     RETURN NEW;
   END $$`,
]
