lib = File.expand_path('lib', __dir__)
$LOAD_PATH.unshift(lib) unless $LOAD_PATH.include?(lib)
require 'fastlane/plugin/slipway/version'

Gem::Specification.new do |spec|
  spec.name = 'fastlane-plugin-slipway'
  spec.version = Fastlane::Slipway::VERSION
  spec.authors = ['Slipway']
  spec.summary = 'Upload builds to a Slipway server'
  spec.license = 'MIT'
  spec.files = Dir['lib/**/*.rb'] + %w[README.md]
  spec.require_paths = ['lib']
  spec.required_ruby_version = '>= 2.7'
  spec.metadata['rubygems_mfa_required'] = 'true'
end
