require 'json'
require 'net/http'
require 'open3'
require 'openssl'
require 'securerandom'
require 'stringio'
require 'uri'

module Fastlane
  module Helper
    # Uploads with Ruby's own HTTP client. Messages never contain a key or an ID token.
    class SlipwayHelper
      class Failure < StandardError; end
      # Nothing was decided: the same request may succeed later.
      class Transient < StandardError
        attr_reader :wait_seconds

        def initialize(message, wait_seconds = nil)
          super(message)
          @wait_seconds = wait_seconds
        end
      end

      BOUNDARY_BYTES = 24
      ATTEMPTS = 4
      TIMEOUT_SECONDS = 300
      CHECKS = %w[size store security dependencies permissions components].freeze
      NAMED_CHECKS = { 'new-permissions' => 'permissions', 'new-exported-components' => 'components' }.freeze
      CHECKS_SECONDS = 300
      TRANSIENT = [429, 502, 503, 504].freeze
      LOST = [SystemCallError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, SocketError].freeze

      def initialize(server:, owner:, key: nil, environment: ENV, pause: ->(seconds) { sleep(seconds) })
        @server = self.class.server_address(server)
        @owner = owner
        @environment = environment
        @pause = pause
        @key = given_key(key)
      end

      # Raises Failure unless it is the http or https address of a server.
      def self.server_address(text)
        uri = URI.parse(text.to_s.strip)
        raise URI::InvalidURIError unless uri.is_a?(URI::HTTP) && uri.host
        if uri.userinfo || uri.query || uri.fragment
          raise Failure, "server must not contain a user name, ? or #; use the key"
        end
        uri.path = "#{uri.path.sub(%r{/+\z}, '')}/"
        uri
      rescue URI::InvalidURIError
        raise Failure, "server must be an address such as https://apps.example.com, not #{text}"
      end

      # Sends the file in pieces. Returns the parsed answer of the server.
      def upload(file, fields)
        @key ||= exchange(id_token)
        # Attempts with the same key make one build.
        idempotency_key = SecureRandom.uuid
        repeat { upload_once(file, fields, @key, idempotency_key) }
      end

      # Waits until the server has analyzed the uploaded build. A sentence for each check of the conditions that failed and is not
      # accepted, or one that says why they are not known.
      def failed_checks(conditions, results)
        names = conditions.filter_map { |condition| condition[:check] }
        return [] if names.empty?
        body = analyzed_checks(results)
        return ["The package could not be analyzed."] if body['state'] == 'failed'
        failed = body['checks'].select { |check| check['state'] == 'failed' }
        failed.select { |check| names.include?(check['category']) || names.include?(NAMED_CHECKS[check['id']]) }
              .map { |check| check['line'] }
      rescue Failure => e
        ["The checks are not known: #{e.message}"]
      end

      # The runners of GitHub and Azure read commands from lines of the log, such as ##[set-output name=x] and ::error::.
      def self.inert(text)
        text.gsub(/##(?=\w*\[)/, '# #').gsub(/^(\s*):(?=:)/, '\1: ')
      end

      # The outputs of every integration of Slipway, from the answer of the server.
      def self.outputs(answer)
        results = answer.fetch('results')
        page = results['distribution'] || {}
        {
          build_url: results['revision_url'],
          page_url: page['url'],
          qr_url: page['qr_url'],
          revision: results['revision'],
          size: results['file_size'],
          size_change: results['size_change'],
          json: JSON.generate(answer)
        }
      end

      # Reads `install,store,size=5%,size=2MB`. Raises Failure.
      def self.fail_conditions(list)
        list.to_s.split(',').map(&:strip).reject(&:empty?).map do |condition|
          next { install: true } if condition == 'install'
          next { check: condition } if CHECKS.include?(condition)
          match = /\Asize=(\d+(?:\.\d+)?)\s*(%|B|KB|MB|GB|KiB|MiB|GiB)\z/.match(condition)
          unless match
            raise Failure, "fail_on must list install, #{CHECKS.join(', ')}, size=PERCENT%, size=BYTES, " \
                           "such as store,size or install,size=5%, not #{condition}"
          end
          { size: match[1].to_f, unit: match[2] }
        end
      end

      # A sentence for each condition that applies.
      def self.failures(conditions, results)
        size, change = results.values_at('file_size', 'size_change')
        conditions.flat_map do |condition|
          if condition[:install]
            (results['install_problems'] || []).map { |problem| "Nobody can install this build: #{problem}" }
          elsif condition[:size] && size && change && change > limit_of(condition, size - change)
            ["The build grew by #{change} bytes to #{size}, more than #{condition[:size]} #{condition[:unit]}."]
          else
            []
          end
        end
      end

      def self.limit_of(condition, before)
        condition[:unit] == '%' ? before * condition[:size] / 100 : condition[:size] * bytes_of(condition[:unit])
      end

      def self.bytes_of(unit)
        base = unit.end_with?('iB') ? 1024 : 1000
        base**['', 'K', 'M', 'G'].index(unit.delete('iB'))
      end

      private

      # A key of the environment belongs to the server of the environment, and is sent to no other.
      def given_key(key)
        from_environment = first_of('SLIPWAY_KEY', 'SLIPWAY_API_KEY')
        key = key.to_s.strip
        key = from_environment.to_s if key.empty?
        return nil if key.empty?
        own = first_of('SLIPWAY_SERVER', 'SLIPWAY_URL')
        own &&= origin(self.class.server_address(own))
        if key == from_environment && own && own != origin(@server)
          raise Failure, "The key of the environment is for #{own} and is not sent to #{origin(@server)}"
        end
        raise Failure, "The API key contains an invalid character" unless key.match?(/\A[\x21-\x7e]+\z/)
        key
      end

      def first_of(*names)
        names.map { |name| @environment[name].to_s.strip }.find { |value| !value.empty? }
      end

      def origin(uri)
        "#{uri.scheme}://#{uri.host}#{uri.port == uri.default_port ? '' : ":#{uri.port}"}"
      end

      # Audience is the origin of the server.
      def id_token
        named = first_of('SLIPWAY_ID_TOKEN', 'BITBUCKET_STEP_OIDC_TOKEN', 'BITRISE_IDENTITY_TOKEN')
        token = named || token_of_github || token_of_program
        raise Failure, "No key and no ID token: set SLIPWAY_API_KEY, or let the job request ID tokens" if token.nil?
        raise Failure, "The ID token is not a JSON Web Token" unless token.match?(/\A[\w-]+\.[\w-]+\.[\w-]+\z/)
        token
      end

      def token_of_github
        url, request_token = %w[URL TOKEN].map { |name| first_of("ACTIONS_ID_TOKEN_REQUEST_#{name}") }
        return nil unless url && request_token
        uri = URI.parse(url)
        uri.query = [uri.query, URI.encode_www_form(audience: origin(@server))].compact.join('&')
        request = Net::HTTP::Get.new(uri, 'Authorization' => "Bearer #{request_token}", 'Accept' => 'application/json')
        answer = repeat { call(uri, request) }
        token = parse(answer.body)['value']
        return token if answer.code == '200' && token
        raise Failure, "GitHub Actions did not issue an ID token (#{answer.code}): " \
                       "give the job the permission \"id-token: write\""
      end

      def token_of_program
        command =
          if @environment['CIRCLECI'] && @environment['CIRCLE_OIDC_TOKEN_V2']
            ['circleci', 'run', 'oidc', 'get', '--claims', JSON.generate(aud: origin(@server))]
          elsif @environment['BUILDKITE']
            ['buildkite-agent', 'oidc', 'request-token', '--audience', origin(@server)]
          end
        return nil unless command
        output, status = Open3.capture2(*command)
        raise Failure, "#{command.first} did not issue an ID token" unless status.success?
        output.strip
      rescue Errno::ENOENT
        raise Failure, "#{command.first} is not installed"
      end

      # RFC 8693. The key is valid for 15 minutes and may only upload.
      def exchange(token)
        uri = URI.join(@server, 'oauth/token')
        request = Net::HTTP::Post.new(uri, 'Accept' => 'application/json')
        request.set_form_data(
          'grant_type' => 'urn:ietf:params:oauth:grant-type:token-exchange',
          'subject_token' => token,
          'subject_token_type' => 'urn:ietf:params:oauth:token-type:id_token',
          'resource' => @owner
        )
        answer = call(uri, request)
        body = parse(answer.body)
        key = body['access_token']
        return key if answer.code == '200' && key.to_s.match?(/\A[\x21-\x7e]+\z/)
        reason = body['error_description'] || body['error'] || 'it may have no trusted publishing'
        raise Failure, "#{origin(@server)} refused the ID token: #{reason.gsub(token, '…')} (#{answer.code})"
      rescue Transient => e
        raise Failure, e.message
      end

      def upload_once(file, fields, key, idempotency_key)
        form = Form.new(fields, file)
        uri = URI.join(@server, "api/users/#{URI.encode_www_form_component(@owner).gsub('+', '%20')}/apps")
        request = Net::HTTP::Post.new(uri, 'Authorization' => "Bearer #{key}", 'Idempotency-Key' => idempotency_key)
        request.content_type = form.content_type
        request.content_length = form.size
        request.body_stream = form
        answer = call(uri, request)
        body = parse(answer.body)
        return body if answer.code == '200' && body['error'] == false && body['results'].is_a?(Hash)
        raise Failure, "The server redirects to #{answer['Location']}: set server to it" if answer.code.start_with?('3')
        raise Failure, "#{body['message']} (#{answer.code})" if body['error'] == true && body['message']
        raise Failure, "#{origin(@server)} answered #{answer.code}, not as a Slipway server"
      ensure
        form&.close
      end

      # Asks again after 1, 2, 4 … s, at most 30 s.
      def analyzed_checks(results)
        place = [@owner, results['os_name'].downcase, results['package_name'], 'builds', results['revision'].to_s, 'checks']
        uri = URI.join(@server, "api/v1/apps/#{place.map { |part| URI.encode_www_form_component(part).gsub('+', '%20') }.join('/')}")
        waited = 0
        pause = 1
        loop do
          answer = repeat { call(uri, Net::HTTP::Get.new(uri, 'Authorization' => "Bearer #{@key}", 'Accept' => 'application/json')) }
          body = parse(answer.body)
          raise Failure, "#{body['detail'] || origin(@server)} (#{answer.code})" unless answer.code == '200' && body['checks']
          return body unless body['state'] == 'waiting'
          raise Failure, "the build was not analyzed after #{CHECKS_SECONDS} s" if waited + pause > CHECKS_SECONDS
          @pause.call(pause)
          waited += pause
          pause = [pause * 2, 30].min
        end
      end

      # Raises Transient if the connection broke or the server says to try later.
      def call(uri, request)
        request['User-Agent'] = "fastlane-plugin-slipway/#{Slipway::VERSION}"
        limits = { open_timeout: 30, read_timeout: TIMEOUT_SECONDS, write_timeout: TIMEOUT_SECONDS, max_retries: 0 }
        answer = Net::HTTP.start(uri.hostname, uri.port, use_ssl: uri.scheme == 'https', **limits) do |http|
          http.request(request)
        end
        if TRANSIENT.include?(answer.code.to_i)
          body = parse(answer.body)
          raise Transient.new("#{body['message'] || origin(uri)} (#{answer.code})", answer['Retry-After'].to_s[/\A\d+\z/]&.to_i)
        end
        answer
      rescue *LOST => e
        raise Transient, "#{origin(uri)} cannot be reached: #{e.message}"
      end

      def repeat
        attempt = 0
        begin
          attempt += 1
          yield
        rescue Transient => e
          raise Failure, e.message if attempt == ATTEMPTS
          @pause.call([e.wait_seconds || 2**(attempt - 1), 60].min)
          retry
        end
      end

      def parse(text)
        body = JSON.parse(text.to_s)
        body.is_a?(Hash) ? body : {}
      rescue JSON::ParserError
        {}
      end

      # A multipart body that reads the file while it is sent. Fields come first, so that the server can check them.
      class Form
        attr_reader :size

        def initialize(fields, file)
          @boundary = SecureRandom.hex(BOUNDARY_BYTES)
          head = +''.b
          fields.each { |field, value| head << part("form-data; name=\"#{field}\"") << value.to_s.b << "\r\n" }
          name = File.basename(file).b.gsub("\r", '%0D').gsub("\n", '%0A').gsub('"', '%22')
          head << part("form-data; name=\"file\"; filename=\"#{name}\"")
          @file = File.open(file, 'rb')
          @pieces = [StringIO.new(head), @file, StringIO.new("\r\n--#{@boundary}--\r\n".b)]
          @size = head.bytesize + @file.size + @pieces.last.size
        end

        def content_type
          "multipart/form-data; boundary=#{@boundary}"
        end

        # IO.copy_stream reads with it.
        def read(length, buffer = +'')
          until @pieces.empty?
            return buffer if @pieces.first.read(length, buffer)
            @pieces.shift
          end
          buffer.clear
          nil
        end

        def close
          @file.close
        end

        private

        def part(disposition)
          "--#{@boundary}\r\nContent-Disposition: #{disposition}\r\n\r\n".b
        end
      end
    end
  end
end
