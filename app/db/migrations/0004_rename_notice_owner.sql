-- The job kind has another name; jobs that wait must still find their handler.
UPDATE outbox SET kind = 'notify_owner' WHERE kind = 'notice_owner';
